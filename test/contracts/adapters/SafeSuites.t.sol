// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {AttacksTest} from "../attacks/Attacks.t.sol";
import {ChildrenTest} from "../attacks/Children.t.sol";
import {DebtTest} from "../attacks/Debt.t.sol";
import {DustTest} from "../attacks/Dust.t.sol";
import {EdgesTest} from "../attacks/Edges.t.sol";
import {LiquidityTest} from "../attacks/Liquidity.t.sol";
import {FamilyTest} from "../attacks/Family.t.sol";
import {FamilyDebtTest} from "../attacks/FamilyDebt.t.sol";
import {LargeTradesTest} from "../attacks/LargeTrades.t.sol";
import {PositionsTest} from "../attacks/Positions.t.sol";
import {ReentrancyTest} from "../attacks/Reentrancy.t.sol";
import {VaultsTest} from "../attacks/Vaults.t.sol";
import {AccountTest} from "../entrypoints/Account.t.sol";
import {AttemptTest} from "../entrypoints/Attempt.t.sol";
import {ExecuteTest} from "../entrypoints/Execute.t.sol";
import {HaltTest} from "../entrypoints/Halt.t.sol";
import {HighWaterMarkTest} from "../entrypoints/HighWaterMark.t.sol";
import {MulticallTest} from "../entrypoints/Multicall.t.sol";
import {SessionTest} from "../entrypoints/Session.t.sol";
import {TransferOutTest} from "../entrypoints/TransferOut.t.sol";
import {AccountKind, IForeignDesk} from "../support/Desks.sol";
import {SafeDesk} from "../support/SafeDesk.sol";

// The policy's test-suite, case by case and error by error, where the funds are a real Safe's.

contract SafeAccountTest is AccountTest {
    function kind() internal pure override returns (AccountKind) {
        return AccountKind.Safe;
    }

    function createDesk() internal override returns (IForeignDesk) {
        return new SafeDesk(owner);
    }
}

contract SafeAttacksTest is AttacksTest {
    function kind() internal pure override returns (AccountKind) {
        return AccountKind.Safe;
    }

    function createDesk() internal override returns (IForeignDesk) {
        return new SafeDesk(owner);
    }
}

contract SafeAttemptTest is AttemptTest {
    function kind() internal pure override returns (AccountKind) {
        return AccountKind.Safe;
    }

    function createDesk() internal override returns (IForeignDesk) {
        return new SafeDesk(owner);
    }
}

contract SafeDebtTest is DebtTest {
    function kind() internal pure override returns (AccountKind) {
        return AccountKind.Safe;
    }

    function createDesk() internal override returns (IForeignDesk) {
        return new SafeDesk(owner);
    }
}

contract SafeDustTest is DustTest {
    function kind() internal pure override returns (AccountKind) {
        return AccountKind.Safe;
    }

    function createDesk() internal override returns (IForeignDesk) {
        return new SafeDesk(owner);
    }
}

contract SafeEdgesTest is EdgesTest {
    function kind() internal pure override returns (AccountKind) {
        return AccountKind.Safe;
    }

    function createDesk() internal override returns (IForeignDesk) {
        return new SafeDesk(owner);
    }
}

contract SafeExecuteTest is ExecuteTest {
    function kind() internal pure override returns (AccountKind) {
        return AccountKind.Safe;
    }

    function createDesk() internal override returns (IForeignDesk) {
        return new SafeDesk(owner);
    }
}

contract SafeHaltTest is HaltTest {
    function kind() internal pure override returns (AccountKind) {
        return AccountKind.Safe;
    }

    function createDesk() internal override returns (IForeignDesk) {
        return new SafeDesk(owner);
    }
}

contract SafeHighWaterMarkTest is HighWaterMarkTest {
    function kind() internal pure override returns (AccountKind) {
        return AccountKind.Safe;
    }

    function createDesk() internal override returns (IForeignDesk) {
        return new SafeDesk(owner);
    }
}

contract SafeLiquidityTest is LiquidityTest {
    function kind() internal pure override returns (AccountKind) {
        return AccountKind.Safe;
    }

    function createDesk() internal override returns (IForeignDesk) {
        return new SafeDesk(owner);
    }
}

contract SafeLargeTradesTest is LargeTradesTest {
    function kind() internal pure override returns (AccountKind) {
        return AccountKind.Safe;
    }

    function createDesk() internal override returns (IForeignDesk) {
        return new SafeDesk(owner);
    }
}

contract SafeMulticallTest is MulticallTest {
    function kind() internal pure override returns (AccountKind) {
        return AccountKind.Safe;
    }

    function createDesk() internal override returns (IForeignDesk) {
        return new SafeDesk(owner);
    }
}

contract SafePositionsTest is PositionsTest {
    function kind() internal pure override returns (AccountKind) {
        return AccountKind.Safe;
    }

    function createDesk() internal override returns (IForeignDesk) {
        return new SafeDesk(owner);
    }
}

contract SafeReentrancyTest is ReentrancyTest {
    function kind() internal pure override returns (AccountKind) {
        return AccountKind.Safe;
    }

    function createDesk() internal override returns (IForeignDesk) {
        return new SafeDesk(owner);
    }
}

contract SafeSessionTest is SessionTest {
    function kind() internal pure override returns (AccountKind) {
        return AccountKind.Safe;
    }

    function createDesk() internal override returns (IForeignDesk) {
        return new SafeDesk(owner);
    }
}

contract SafeTransferOutTest is TransferOutTest {
    function kind() internal pure override returns (AccountKind) {
        return AccountKind.Safe;
    }

    function createDesk() internal override returns (IForeignDesk) {
        return new SafeDesk(owner);
    }
}

contract SafeVaultsTest is VaultsTest {
    function kind() internal pure override returns (AccountKind) {
        return AccountKind.Safe;
    }

    function createDesk() internal override returns (IForeignDesk) {
        return new SafeDesk(owner);
    }
}

contract SafeChildrenTest is ChildrenTest {
    function kind() internal pure override returns (AccountKind) {
        return AccountKind.Safe;
    }

    function createDesk() internal override returns (IForeignDesk) {
        return new SafeDesk(owner);
    }
}

contract SafeFamilyTest is FamilyTest {
    function kind() internal pure override returns (AccountKind) {
        return AccountKind.Safe;
    }

    function createDesk() internal override returns (IForeignDesk) {
        return new SafeDesk(owner);
    }
}

contract SafeFamilyDebtTest is FamilyDebtTest {
    function kind() internal pure override returns (AccountKind) {
        return AccountKind.Safe;
    }

    function createDesk() internal override returns (IForeignDesk) {
        return new SafeDesk(owner);
    }
}
