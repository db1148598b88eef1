// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {ERC7579Utils, Execution} from "@openzeppelin/contracts/account/utils/draft-ERC7579Utils.sol";
import {IERC1820Implementer} from "@openzeppelin/contracts/interfaces/IERC1820Implementer.sol";
import {IERC20} from "@openzeppelin/contracts/token/ERC20/IERC20.sol";
import {SSTORE2} from "solady/src/utils/SSTORE2.sol";
import {IGolemEntry} from "../interfaces/IGolemEntry.sol";
import {IPolicyCageExtension} from "../interfaces/IPolicyCageExtension.sol";
import {NATIVE, Trade, TradeInput} from "../interfaces/Types.sol";
import {Delegation, ICaveatEnforcer, IDelegationManager, IDelegator} from "../interfaces/modules/IDelegation.sol";
import {IGolemModule} from "../interfaces/modules/IGolemModule.sol";
import {IPolicyCageEnforcer} from "../interfaces/modules/IPolicyCageEnforcer.sol";
import {IPolicyCageHook} from "../interfaces/modules/IPolicyCageHook.sol";
import {BoundedCall} from "../outside/BoundedCall.sol";
import {GuardedQuery} from "../outside/GuardedQuery.sol";
import {Registry} from "../outside/Registry.sol";
import {GolemEntry} from "./GolemEntry.sol";
import {PlainEntry} from "./PlainEntry.sol";

/// @title PolicyCageEnforcer
/// @notice Cages a smart account of MetaMask's delegation framework: the delegate a golem acts through and the caveat of its delegation,
/// in one.
///
/// GOLEM. It calls this contract, which has the account do exactly what the trades say, by one redemption of a delegation that the
/// account's root key signed. The cage is asked before and after it, by this contract, which the cage was deployed with.
///
/// DELEGATION. To this contract, with this contract as a caveat: nobody else redeems it, by itself or through another delegation, for
/// this contract signs nothing. What an account delegates without the caveat is its own, and is not caged.
///
/// OWNER. The root key is free. What it takes out between `beforeOwnerAction` and `afterOwnerAction` of the cage, in one batch, the mark
/// follows; what it takes out otherwise counts as a drawdown.
contract PolicyCageEnforcer is PlainEntry, ICaveatEnforcer, IERC1820Implementer, IPolicyCageEnforcer {
    bytes32 private constant SINGLE = 0;
    bytes32 private constant BATCH = bytes32(bytes1(0x01));
    bytes32 private constant ROOT_AUTHORITY = bytes32(type(uint256).max);
    /// What a token answers that does not as it was asked: the account does not pass answers on, so it is told by what did not change.
    bytes private constant ANSWERED_FALSE = abi.encode(false);
    bytes32 private constant ACCEPT = keccak256("ERC1820_ACCEPT_MAGIC");

    /// @inheritdoc IPolicyCageEnforcer
    address public immutable account;
    /// @inheritdoc IPolicyCageEnforcer
    address public immutable delegationManager;

    /// The cage and the permission context, as the code of a data contract.
    address private _installation;

    /// @param account_ The account to act for.
    constructor(address account_) {
        account = account_;
        delegationManager = IDelegator(account_).delegationManager();
    }

    // ── Owner ──

    /// @inheritdoc IPolicyCageEnforcer
    function install(address cage_, bytes calldata context) external {
        if (msg.sender != account) revert IGolemModule.NotAccount(msg.sender);
        if (GuardedQuery.isCageExecuting(cage())) revert IPolicyCageExtension.ExecutionInProgress();

        if (context.length == 0) _installation = address(0);
        else {
            _requireCaging(IPolicyCageExtension(cage_));
            _requireCaged(abi.decode(context, (Delegation[])));
            _installation = SSTORE2.write(bytes.concat(bytes20(cage_), context));
        }
        emit Installed(cage_, keccak256(context));
    }

    // ── Caveat ──

    /// @inheritdoc ICaveatEnforcer
    function beforeAllHook(
        bytes calldata,
        bytes calldata,
        bytes32 mode,
        bytes calldata,
        bytes32,
        address delegator,
        address redeemer
    ) external view {
        if (msg.sender != delegationManager) revert NotManager(msg.sender);
        if (delegator != account) revert DelegatorRefused(delegator);
        if (redeemer != address(this)) revert RedeemerRefused(redeemer);
        if (mode != SINGLE && mode != BATCH) revert IPolicyCageHook.ModeRefused(mode);
    }

    // What this contract has redeemed it knows already.
    // solhint-disable no-empty-blocks

    /// @inheritdoc ICaveatEnforcer
    function beforeHook(
        bytes calldata,
        bytes calldata,
        bytes32,
        bytes calldata,
        bytes32,
        address,
        address
    ) external pure {}

    /// @inheritdoc ICaveatEnforcer
    function afterHook(
        bytes calldata,
        bytes calldata,
        bytes32,
        bytes calldata,
        bytes32,
        address,
        address
    ) external pure {}

    /// @inheritdoc ICaveatEnforcer
    function afterAllHook(
        bytes calldata,
        bytes calldata,
        bytes32,
        bytes calldata,
        bytes32,
        address,
        address
    ) external pure {}

    // solhint-enable no-empty-blocks

    // ── Views ──

    /// @inheritdoc IERC1820Implementer
    function canImplementInterfaceForAddress(bytes32 interfaceHash, address holder) external view returns (bytes32) {
        return interfaceHash == Registry.ENFORCER && holder == account ? ACCEPT : bytes32(0);
    }

    /// @inheritdoc IPolicyCageEnforcer
    function permissionContext() external view returns (bytes memory) {
        return _installation == address(0) ? bytes("") : SSTORE2.read(_installation, 20);
    }

    /// @notice The cage that guards the account; nobody where none is installed.
    function cage() public view returns (address guardian) {
        address installation = _installation;
        assembly ("memory-safe") {
            // Behind the byte that keeps it from being run; zeros where there is no code.
            extcodecopy(installation, 0x00, 0x01, 0x20)
            guardian := shr(96, mload(0x00))
        }
    }

    // ── How the account acts ──

    /// @inheritdoc GolemEntry
    function _guardian() internal view override returns (IPolicyCageExtension guardian) {
        guardian = IPolicyCageExtension(cage());
        if (address(guardian) == address(0)) revert IGolemModule.NotInstalled();
    }

    /// @inheritdoc GolemEntry
    function _run(Trade[] calldata trades) internal override {
        if (!_redeem(BATCH, ERC7579Utils.encodeBatch(_stepsOf(trades)))) {
            // What fails as one is done step by step, so that the error names the step, or here what refuses every step.
            if (!_redeem(BATCH, ERC7579Utils.encodeBatch(new Execution[](0)))) {
                revert DelegationRefused(BoundedCall.reason());
            }
            super._run(trades);
            return;
        }

        // A token may answer that it did not as it was asked, and the account does not hear it.
        for (uint256 i; i < trades.length; ++i) {
            TradeInput[] calldata inputs = trades[i].inputs;
            for (uint256 j; j < inputs.length; ++j) {
                if (inputs[j].asset != NATIVE) _requireCleared(inputs[j].asset, trades[i].protocol);
            }
        }
    }

    /// @inheritdoc GolemEntry
    function _approve(address asset, address spender, uint256 amount) internal override {
        super._approve(asset, spender, amount);
        if (amount == 0) _requireCleared(asset, spender);
        else if (GuardedQuery.allowance(asset, account, spender) == 0) revert AssetCallFailed(asset, ANSWERED_FALSE);
    }

    /// @inheritdoc GolemEntry
    function _transfer(address asset, address recipient, uint256 amount) internal override {
        (, uint256 held) = GuardedQuery.balanceOf(asset, recipient);
        super._transfer(asset, recipient, amount);
        (, uint256 holds) = GuardedQuery.balanceOf(asset, recipient);
        if (amount != 0 && holds == held) revert AssetCallFailed(asset, ANSWERED_FALSE);
    }

    function _requireCleared(address asset, address spender) private view {
        if (GuardedQuery.allowance(asset, account, spender) != 0) revert AssetCallFailed(asset, ANSWERED_FALSE);
    }

    /// @inheritdoc GolemEntry
    function _holder() internal view override returns (address) {
        return account;
    }

    /// @inheritdoc GolemEntry
    function _reach(address target, uint256 value, bytes memory data) internal override returns (bool success) {
        return _redeem(SINGLE, abi.encodePacked(target, value, data));
    }

    /// @inheritdoc GolemEntry
    function _reachToken(address token, bytes memory data) internal override returns (bool success) {
        return _reach(token, 0, data);
    }

    /// @return success False when the manager, a caveat or the execution reverted: `BoundedCall.reason` then has why.
    function _redeem(bytes32 mode, bytes memory execution) private returns (bool success) {
        bytes[] memory contexts = new bytes[](1);
        contexts[0] = SSTORE2.read(_installation, 20);
        bytes32[] memory modes = new bytes32[](1);
        modes[0] = mode;
        bytes[] memory executions = new bytes[](1);
        executions[0] = execution;
        bytes memory call = abi.encodeCall(IDelegationManager.redeemDelegations, (contexts, modes, executions));
        return BoundedCall.call(delegationManager, 0, call);
    }

    /// What `GolemEntry` does, as one list: approve exactly, call, clear.
    function _stepsOf(Trade[] calldata trades) private pure returns (Execution[] memory steps) {
        uint256 count;
        for (uint256 i; i < trades.length; ++i) count += 1 + 2 * trades[i].inputs.length;
        steps = new Execution[](count);

        uint256 next;
        for (uint256 i; i < trades.length; ++i) {
            Trade calldata trade = trades[i];
            next = _approveAll(steps, next, trade, false);
            steps[next++] = Execution(trade.protocol, trade.value, trade.data);
            next = _approveAll(steps, next, trade, true);
        }
        assembly ("memory-safe") {
            // Native currency needs no approval.
            mstore(steps, next)
        }
    }

    function _approveAll(
        Execution[] memory steps,
        uint256 next,
        Trade calldata trade,
        bool clears
    ) private pure returns (uint256) {
        for (uint256 i; i < trade.inputs.length; ++i) {
            TradeInput calldata input = trade.inputs[i];
            if (input.asset == NATIVE) continue;
            uint256 amount = clears ? 0 : input.maxAmount;
            steps[next++] = Execution(input.asset, 0, abi.encodeCall(IERC20.approve, (trade.protocol, amount)));
        }
        return next;
    }

    /// The cage is this account's, and both it and the account say that this contract acts.
    function _requireCaging(IPolicyCageExtension cage_) private view {
        if (cage_.account() != account || cage_.enforcer() != address(this)) revert CageRefused(address(cage_));
        address named = GuardedQuery.enforcerOf(account);
        if (named != address(this)) revert NotNamed(named);
    }

    /// Nobody but this contract redeems it, and the account asks this contract about it.
    function _requireCaged(Delegation[] memory delegations) private view {
        if (delegations.length == 0 || delegations[0].delegate != address(this)) revert InvalidDelegation("delegate");
        Delegation memory root = delegations[delegations.length - 1];
        if (root.delegator != account) revert InvalidDelegation("delegator");
        if (root.authority != ROOT_AUTHORITY) revert InvalidDelegation("authority");
        for (uint256 i; i < root.caveats.length; ++i) if (root.caveats[i].enforcer == address(this)) return;
        revert InvalidDelegation("caveats");
    }
}
