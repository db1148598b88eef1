// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {IPolicyCageHook} from "../../../contracts/interfaces/modules/IPolicyCageHook.sol";
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
import {HookDesk} from "../support/HookDesk.sol";

// The policy's test-suite, case by case and error by error, where the funds are a real ERC-7579 account's.

contract Erc7579AccountTest is AccountTest {
    function kind() internal pure override returns (AccountKind) {
        return AccountKind.Erc7579;
    }

    function createDesk() internal override returns (IForeignDesk) {
        return new HookDesk(owner, ownerKey);
    }

    /// The account has functions of its own, and says of the others why nobody answers.
    function testFuzz_UnknownFunctionsRevert(bytes4 selector, uint256 value) public override {
        vm.assume(uint32(selector) != 0);
        bytes memory call = abi.encodePacked(selector);

        (bool success, bytes memory reason) = address(account).call{value: bound(value, 0, 1 ether)}(call);

        if (success) assertTrue(_isView(selector));
        else if (reason.length > 0) {
            assertEq(reason, abi.encodeWithSelector(IPolicyCageHook.CallRefused.selector, address(this), selector));
        }
        assertEq(cage.highWaterMark(), nav());
    }

    function _isView(bytes4 selector) private pure returns (bool) {
        bytes4[4] memory views = [bytes4(0x9cfd7cff), 0xb0d691fe, 0xd087d288, 0x7f5a7c7b];
        for (uint256 i; i < views.length; ++i) if (selector == views[i]) return true;
        return false;
    }
}

contract Erc7579AttacksTest is AttacksTest {
    function kind() internal pure override returns (AccountKind) {
        return AccountKind.Erc7579;
    }

    function createDesk() internal override returns (IForeignDesk) {
        return new HookDesk(owner, ownerKey);
    }
}

contract Erc7579AttemptTest is AttemptTest {
    function kind() internal pure override returns (AccountKind) {
        return AccountKind.Erc7579;
    }

    function createDesk() internal override returns (IForeignDesk) {
        return new HookDesk(owner, ownerKey);
    }
}

contract Erc7579DebtTest is DebtTest {
    function kind() internal pure override returns (AccountKind) {
        return AccountKind.Erc7579;
    }

    function createDesk() internal override returns (IForeignDesk) {
        return new HookDesk(owner, ownerKey);
    }
}

contract Erc7579DustTest is DustTest {
    function kind() internal pure override returns (AccountKind) {
        return AccountKind.Erc7579;
    }

    function createDesk() internal override returns (IForeignDesk) {
        return new HookDesk(owner, ownerKey);
    }
}

contract Erc7579EdgesTest is EdgesTest {
    function kind() internal pure override returns (AccountKind) {
        return AccountKind.Erc7579;
    }

    function createDesk() internal override returns (IForeignDesk) {
        return new HookDesk(owner, ownerKey);
    }
}

contract Erc7579ExecuteTest is ExecuteTest {
    function kind() internal pure override returns (AccountKind) {
        return AccountKind.Erc7579;
    }

    function createDesk() internal override returns (IForeignDesk) {
        return new HookDesk(owner, ownerKey);
    }
}

contract Erc7579HaltTest is HaltTest {
    function kind() internal pure override returns (AccountKind) {
        return AccountKind.Erc7579;
    }

    function createDesk() internal override returns (IForeignDesk) {
        return new HookDesk(owner, ownerKey);
    }
}

contract Erc7579HighWaterMarkTest is HighWaterMarkTest {
    function kind() internal pure override returns (AccountKind) {
        return AccountKind.Erc7579;
    }

    function createDesk() internal override returns (IForeignDesk) {
        return new HookDesk(owner, ownerKey);
    }
}

contract Erc7579LiquidityTest is LiquidityTest {
    function kind() internal pure override returns (AccountKind) {
        return AccountKind.Erc7579;
    }

    function createDesk() internal override returns (IForeignDesk) {
        return new HookDesk(owner, ownerKey);
    }
}

contract Erc7579LargeTradesTest is LargeTradesTest {
    function kind() internal pure override returns (AccountKind) {
        return AccountKind.Erc7579;
    }

    function createDesk() internal override returns (IForeignDesk) {
        return new HookDesk(owner, ownerKey);
    }
}

contract Erc7579MulticallTest is MulticallTest {
    function kind() internal pure override returns (AccountKind) {
        return AccountKind.Erc7579;
    }

    function createDesk() internal override returns (IForeignDesk) {
        return new HookDesk(owner, ownerKey);
    }
}

contract Erc7579PositionsTest is PositionsTest {
    function kind() internal pure override returns (AccountKind) {
        return AccountKind.Erc7579;
    }

    function createDesk() internal override returns (IForeignDesk) {
        return new HookDesk(owner, ownerKey);
    }
}

contract Erc7579ReentrancyTest is ReentrancyTest {
    function kind() internal pure override returns (AccountKind) {
        return AccountKind.Erc7579;
    }

    function createDesk() internal override returns (IForeignDesk) {
        return new HookDesk(owner, ownerKey);
    }
}

contract Erc7579SessionTest is SessionTest {
    function kind() internal pure override returns (AccountKind) {
        return AccountKind.Erc7579;
    }

    function createDesk() internal override returns (IForeignDesk) {
        return new HookDesk(owner, ownerKey);
    }
}

contract Erc7579TransferOutTest is TransferOutTest {
    function kind() internal pure override returns (AccountKind) {
        return AccountKind.Erc7579;
    }

    function createDesk() internal override returns (IForeignDesk) {
        return new HookDesk(owner, ownerKey);
    }
}

contract Erc7579VaultsTest is VaultsTest {
    function kind() internal pure override returns (AccountKind) {
        return AccountKind.Erc7579;
    }

    function createDesk() internal override returns (IForeignDesk) {
        return new HookDesk(owner, ownerKey);
    }
}

contract Erc7579ChildrenTest is ChildrenTest {
    function kind() internal pure override returns (AccountKind) {
        return AccountKind.Erc7579;
    }

    function createDesk() internal override returns (IForeignDesk) {
        return new HookDesk(owner, ownerKey);
    }
}

contract Erc7579FamilyTest is FamilyTest {
    function kind() internal pure override returns (AccountKind) {
        return AccountKind.Erc7579;
    }

    function createDesk() internal override returns (IForeignDesk) {
        return new HookDesk(owner, ownerKey);
    }
}

contract Erc7579FamilyDebtTest is FamilyDebtTest {
    function kind() internal pure override returns (AccountKind) {
        return AccountKind.Erc7579;
    }

    function createDesk() internal override returns (IForeignDesk) {
        return new HookDesk(owner, ownerKey);
    }
}
