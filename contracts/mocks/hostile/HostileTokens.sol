// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {MockERC20} from "../MockERC20.sol";

/// @notice Takes one percent of every transfer.
contract FeeOnTransferToken is MockERC20 {
    constructor() MockERC20("FEE", 18) {}

    function _update(address from, address to, uint256 value) internal override {
        if (from == address(0) || to == address(0)) return super._update(from, to, value);
        super._update(from, to, value - value / 100);
        super._update(from, address(0), value / 100);
    }
}

/// @notice Returns nothing from transfers and approvals, and changes no allowance that is not zero, as USDT does.
contract NoReturnToken {
    uint8 public constant decimals = 6;
    mapping(address holder => uint256) public balanceOf;
    mapping(address holder => mapping(address spender => uint256)) public allowance;

    function mint(address to, uint256 amount) external {
        balanceOf[to] += amount;
    }

    function approve(address spender, uint256 amount) external {
        require(amount == 0 || allowance[msg.sender][spender] == 0, "not zero");
        allowance[msg.sender][spender] = amount;
    }

    function transfer(address to, uint256 amount) external {
        balanceOf[msg.sender] -= amount;
        balanceOf[to] += amount;
    }

    function transferFrom(address from, address to, uint256 amount) external {
        allowance[from][msg.sender] -= amount;
        balanceOf[from] -= amount;
        balanceOf[to] += amount;
    }
}

/// @notice Answers false instead of moving anything, while the switch is on.
contract ReturnsFalseToken is MockERC20 {
    bool public isStuck;

    constructor() MockERC20("FALSE", 18) {}

    function setStuck(bool isStuck_) external {
        isStuck = isStuck_;
    }

    function approve(address spender, uint256 value) public override returns (bool) {
        return !isStuck && super.approve(spender, value);
    }

    function transfer(address to, uint256 value) public override returns (bool) {
        return !isStuck && super.transfer(to, value);
    }
}

/// @notice Calls a hook around transfers, as ERC-777 does, and can be told what the hook runs.
contract HookToken is MockERC20 {
    address public hookTarget;
    bytes public hookData;
    bool public mustSucceed;

    constructor() MockERC20("HOOK", 18) {}

    function setHook(address target, bytes calldata data, bool mustSucceed_) external {
        hookTarget = target;
        hookData = data;
        mustSucceed = mustSucceed_;
    }

    function _update(address from, address to, uint256 value) internal override {
        super._update(from, to, value);
        if (hookTarget == address(0) || from == address(0)) return;
        (bool success, bytes memory reason) = hookTarget.call(hookData);
        if (success || !mustSucceed) return;
        assembly {
            revert(add(reason, 0x20), mload(reason))
        }
    }
}

/// @notice Reverts with any data it was given, in any of its functions that the switch names.
contract ErrorFakingToken is MockERC20 {
    bytes public reason;
    bytes4 public failing;

    constructor() MockERC20("FAKE", 18) {}

    function setFailure(bytes4 selector, bytes calldata reason_) external {
        failing = selector;
        reason = reason_;
    }

    function approve(address spender, uint256 value) public override returns (bool) {
        _maybeFail();
        return super.approve(spender, value);
    }

    function transfer(address to, uint256 value) public override returns (bool) {
        _maybeFail();
        return super.transfer(to, value);
    }

    function balanceOf(address holder) public view override returns (uint256) {
        _maybeFail();
        return super.balanceOf(holder);
    }

    function _maybeFail() private view {
        if (failing != msg.sig) return;
        bytes memory data = reason;
        assembly {
            revert(add(data, 0x20), mload(data))
        }
    }
}

/// @notice Answers, or reverts, with a megabyte when asked to move or approve.
contract BombToken is MockERC20 {
    bool public isReverting;

    constructor() MockERC20("BOMB", 18) {}

    function setReverting(bool isReverting_) external {
        isReverting = isReverting_;
    }

    function approve(address spender, uint256 value) public override returns (bool) {
        super.approve(spender, value);
        _explode();
    }

    function transfer(address to, uint256 value) public override returns (bool) {
        super.transfer(to, value);
        _explode();
    }

    function _explode() private view {
        bool fails = isReverting;
        assembly {
            let answer := mload(0x40)
            mstore(answer, 1)
            if fails {
                revert(answer, 1000000)
            }
            return(answer, 1000000)
        }
    }
}

/// @notice Does not tell what it allows.
contract SecretiveToken is MockERC20 {
    constructor() MockERC20("SECRET", 18) {}

    function allowance(address, address) public pure override returns (uint256) {
        revert("secret");
    }

    function allowed(address holder, address spender) external view returns (uint256) {
        return super.allowance(holder, spender);
    }

    /// @notice Spends without asking `allowance`, which nobody can read.
    function _spendAllowance(address holder, address spender, uint256 value) internal override {
        _approve(holder, spender, super.allowance(holder, spender) - value, false);
    }
}
