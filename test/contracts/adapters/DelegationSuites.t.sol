// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {IGolemEntry} from "../../../contracts/interfaces/IGolemEntry.sol";
import {ReturnBomb} from "../../../contracts/mocks/hostile/HostileProtocols.sol";
import {ReturnsFalseToken, SecretiveToken} from "../../../contracts/mocks/hostile/HostileTokens.sol";
import {AttacksTest} from "../attacks/Attacks.t.sol";
import {DebtTest} from "../attacks/Debt.t.sol";
import {DustTest} from "../attacks/Dust.t.sol";
import {EdgesTest} from "../attacks/Edges.t.sol";
import {LargeTradesTest} from "../attacks/LargeTrades.t.sol";
import {LiquidityTest} from "../attacks/Liquidity.t.sol";
import {PositionsTest} from "../attacks/Positions.t.sol";
import {VaultsTest} from "../attacks/Vaults.t.sol";
import {ReentrancyTest} from "../attacks/Reentrancy.t.sol";
import {AccountTest} from "../entrypoints/Account.t.sol";
import {AttemptTest} from "../entrypoints/Attempt.t.sol";
import {ExecuteTest} from "../entrypoints/Execute.t.sol";
import {HaltTest} from "../entrypoints/Halt.t.sol";
import {HighWaterMarkTest} from "../entrypoints/HighWaterMark.t.sol";
import {MulticallTest} from "../entrypoints/Multicall.t.sol";
import {SessionTest} from "../entrypoints/Session.t.sol";
import {TransferOutTest} from "../entrypoints/TransferOut.t.sol";
import {DelegationDesk} from "../support/DelegationDesk.sol";
import {AccountKind, IForeignDesk} from "../support/Desks.sol";

// The policy's test-suite, case by case and error by error, where the funds are a real smart account's of MetaMask's delegation framework.

contract DelegationAccountTest is AccountTest {
    function kind() internal pure override returns (AccountKind) {
        return AccountKind.Delegation;
    }

    function createDesk() internal override returns (IForeignDesk) {
        return new DelegationDesk(owner, ownerKey);
    }

    /// The account has functions of its own: nobody who is not its root key moves anything by them but a deposit of what he sends along.
    function testFuzz_UnknownFunctionsRevert(bytes4 selector, uint256 value) public override {
        vm.assume(uint32(selector) != 0);
        uint256 former = nav();

        (bool success, ) = address(account).call{value: bound(value, 0, 1 ether)}(abi.encodePacked(selector));

        if (success) assertTrue(_isKnown(selector));
        assertEq(nav(), former);
    }

    /// That an approval was cleared cannot be told: the account passes no answer on.
    function test_ApprovalThatCanNotBeReadIsCleared() public override {
        SecretiveToken token = new SecretiveToken();
        _list(address(token));
        token.mint(address(account), 100e18);

        refuse(
            abi.encodeWithSelector(IGolemEntry.AssetCallFailed.selector, token, abi.encode(false)),
            swapTrade(address(token), 1e18, address(usdc), 1e6)
        );
    }

    /// That an approval was refused shows when it is used.
    function test_TokenThatAnswersFalseIsRefused() public override {
        ReturnsFalseToken token = new ReturnsFalseToken();
        _list(address(token));
        token.setStuck(true);
        token.mint(address(account), 1);

        execute(_take(token, 0, 1));
        refuse(
            abi.encodeWithSelector(IGolemEntry.AssetCallFailed.selector, token, abi.encode(false)),
            _take(token, 1, 1)
        );
    }

    /// The account copies what it is answered, at the golem's cost; the error is cut as elsewhere.
    function test_LongAnswersOfAProtocolAreNotCopied() public override {
        ReturnBomb bomb = _restartWithBomb();
        execute(callTrade(address(bomb), 0, abi.encodeCall(ReturnBomb.succeed, ())));

        bytes memory reason = new bytes(256);
        reason[95] = 0x80;
        refuse(
            abi.encodeWithSelector(IGolemEntry.CallFailed.selector, 0, reason),
            callTrade(address(bomb), 0, abi.encodeCall(ReturnBomb.fail, ()))
        );
    }

    /// Its views, and `addDeposit()`.
    function _isKnown(bytes4 selector) private pure returns (bool) {
        bytes4[17] memory known = [
            bytes4(0xacb8cc49),
            0xa3f4df7e,
            0x2b3afd99,
            0xad3cb1cc,
            0xffa1ad74,
            0x4a58db19,
            0xea4d3c9b,
            0x84b0196e,
            0xb0d691fe,
            0xc399ec88,
            0x83ebb771,
            0xaaf10f42,
            0xb3c65015,
            0x2ffeaad6,
            0x1c03010a,
            0xd087d288,
            0x8da5cb5b
        ];
        for (uint256 i; i < known.length; ++i) if (selector == known[i]) return true;
        return false;
    }
}

contract DelegationAttacksTest is AttacksTest {
    function kind() internal pure override returns (AccountKind) {
        return AccountKind.Delegation;
    }

    function createDesk() internal override returns (IForeignDesk) {
        return new DelegationDesk(owner, ownerKey);
    }
}

contract DelegationAttemptTest is AttemptTest {
    function kind() internal pure override returns (AccountKind) {
        return AccountKind.Delegation;
    }

    function createDesk() internal override returns (IForeignDesk) {
        return new DelegationDesk(owner, ownerKey);
    }
}

contract DelegationDebtTest is DebtTest {
    function kind() internal pure override returns (AccountKind) {
        return AccountKind.Delegation;
    }

    function createDesk() internal override returns (IForeignDesk) {
        return new DelegationDesk(owner, ownerKey);
    }
}

contract DelegationDustTest is DustTest {
    function kind() internal pure override returns (AccountKind) {
        return AccountKind.Delegation;
    }

    function createDesk() internal override returns (IForeignDesk) {
        return new DelegationDesk(owner, ownerKey);
    }
}

contract DelegationEdgesTest is EdgesTest {
    function kind() internal pure override returns (AccountKind) {
        return AccountKind.Delegation;
    }

    function createDesk() internal override returns (IForeignDesk) {
        return new DelegationDesk(owner, ownerKey);
    }
}

contract DelegationExecuteTest is ExecuteTest {
    function kind() internal pure override returns (AccountKind) {
        return AccountKind.Delegation;
    }

    function createDesk() internal override returns (IForeignDesk) {
        return new DelegationDesk(owner, ownerKey);
    }
}

contract DelegationHaltTest is HaltTest {
    function kind() internal pure override returns (AccountKind) {
        return AccountKind.Delegation;
    }

    function createDesk() internal override returns (IForeignDesk) {
        return new DelegationDesk(owner, ownerKey);
    }
}

contract DelegationHighWaterMarkTest is HighWaterMarkTest {
    function kind() internal pure override returns (AccountKind) {
        return AccountKind.Delegation;
    }

    function createDesk() internal override returns (IForeignDesk) {
        return new DelegationDesk(owner, ownerKey);
    }
}

contract DelegationMulticallTest is MulticallTest {
    function kind() internal pure override returns (AccountKind) {
        return AccountKind.Delegation;
    }

    function createDesk() internal override returns (IForeignDesk) {
        return new DelegationDesk(owner, ownerKey);
    }
}

contract DelegationReentrancyTest is ReentrancyTest {
    function kind() internal pure override returns (AccountKind) {
        return AccountKind.Delegation;
    }

    function createDesk() internal override returns (IForeignDesk) {
        return new DelegationDesk(owner, ownerKey);
    }
}

contract DelegationSessionTest is SessionTest {
    function kind() internal pure override returns (AccountKind) {
        return AccountKind.Delegation;
    }

    function createDesk() internal override returns (IForeignDesk) {
        return new DelegationDesk(owner, ownerKey);
    }
}

contract DelegationTransferOutTest is TransferOutTest {
    function kind() internal pure override returns (AccountKind) {
        return AccountKind.Delegation;
    }

    function createDesk() internal override returns (IForeignDesk) {
        return new DelegationDesk(owner, ownerKey);
    }
}

contract DelegationLargeTradesTest is LargeTradesTest {
    function kind() internal pure override returns (AccountKind) {
        return AccountKind.Delegation;
    }

    function createDesk() internal override returns (IForeignDesk) {
        return new DelegationDesk(owner, ownerKey);
    }
}

contract DelegationLiquidityTest is LiquidityTest {
    function kind() internal pure override returns (AccountKind) {
        return AccountKind.Delegation;
    }

    function createDesk() internal override returns (IForeignDesk) {
        return new DelegationDesk(owner, ownerKey);
    }
}

contract DelegationPositionsTest is PositionsTest {
    function kind() internal pure override returns (AccountKind) {
        return AccountKind.Delegation;
    }

    function createDesk() internal override returns (IForeignDesk) {
        return new DelegationDesk(owner, ownerKey);
    }
}

contract DelegationVaultsTest is VaultsTest {
    function kind() internal pure override returns (AccountKind) {
        return AccountKind.Delegation;
    }

    function createDesk() internal override returns (IForeignDesk) {
        return new DelegationDesk(owner, ownerKey);
    }
}
