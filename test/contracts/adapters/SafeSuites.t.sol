// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {AttacksTest} from "../attacks/Attacks.t.sol";
import {DebtTest} from "../attacks/Debt.t.sol";
import {DustTest} from "../attacks/Dust.t.sol";
import {EdgesTest} from "../attacks/Edges.t.sol";
import {ReentrancyTest} from "../attacks/Reentrancy.t.sol";
import {AccountTest} from "../entrypoints/Account.t.sol";
import {AttemptTest} from "../entrypoints/Attempt.t.sol";
import {ExecuteTest} from "../entrypoints/Execute.t.sol";
import {HaltTest} from "../entrypoints/Halt.t.sol";
import {HighWaterMarkTest} from "../entrypoints/HighWaterMark.t.sol";
import {MulticallTest} from "../entrypoints/Multicall.t.sol";
import {SessionTest} from "../entrypoints/Session.t.sol";
import {TransferOutTest} from "../entrypoints/TransferOut.t.sol";

// The policy's test-suite, case by case and error by error, where the funds are a real Safe's.

contract SafeAccountTest is AccountTest {
    function isSafe() internal pure override returns (bool) {
        return true;
    }
}

contract SafeAttacksTest is AttacksTest {
    function isSafe() internal pure override returns (bool) {
        return true;
    }
}

contract SafeAttemptTest is AttemptTest {
    function isSafe() internal pure override returns (bool) {
        return true;
    }
}

contract SafeDebtTest is DebtTest {
    function isSafe() internal pure override returns (bool) {
        return true;
    }
}

contract SafeDustTest is DustTest {
    function isSafe() internal pure override returns (bool) {
        return true;
    }
}

contract SafeEdgesTest is EdgesTest {
    function isSafe() internal pure override returns (bool) {
        return true;
    }
}

contract SafeExecuteTest is ExecuteTest {
    function isSafe() internal pure override returns (bool) {
        return true;
    }
}

contract SafeHaltTest is HaltTest {
    function isSafe() internal pure override returns (bool) {
        return true;
    }
}

contract SafeHighWaterMarkTest is HighWaterMarkTest {
    function isSafe() internal pure override returns (bool) {
        return true;
    }
}

contract SafeMulticallTest is MulticallTest {
    function isSafe() internal pure override returns (bool) {
        return true;
    }
}

contract SafeReentrancyTest is ReentrancyTest {
    function isSafe() internal pure override returns (bool) {
        return true;
    }
}

contract SafeSessionTest is SessionTest {
    function isSafe() internal pure override returns (bool) {
        return true;
    }
}

contract SafeTransferOutTest is TransferOutTest {
    function isSafe() internal pure override returns (bool) {
        return true;
    }
}
