// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {IERC20} from "@openzeppelin/contracts/token/ERC20/IERC20.sol";

/// @notice Calls back into anything it was told to, and then reverts or not with what came back.
contract ReenteringProtocol {
    address public target;
    bytes public data;
    bool public mustSucceed;
    bool public wasRefused;
    bytes public refusal;

    receive() external payable {
        if (target != address(0)) run();
    }

    function set(address target_, bytes calldata data_, bool mustSucceed_) external {
        target = target_;
        data = data_;
        mustSucceed = mustSucceed_;
    }

    function run() public payable {
        (bool success, bytes memory reason) = target.call(data);
        wasRefused = !success;
        refusal = reason;
        if (success || !mustSucceed) return;
        assembly {
            revert(add(reason, 0x20), mload(reason))
        }
    }
}

/// @notice Takes as much as its allowance permits, whatever was agreed.
contract OverPullingProtocol {
    function pull(address token) external {
        uint256 amount = IERC20(token).allowance(msg.sender, address(this));
        uint256 held = IERC20(token).balanceOf(msg.sender);
        IERC20(token).transferFrom(msg.sender, address(this), amount < held ? amount : held);
    }

    /// @notice Takes `amount` from anyone who approved, at any time.
    function pullFrom(address token, address holder, uint256 amount) external {
        IERC20(token).transferFrom(holder, address(this), amount);
    }
}

/// @notice Reverts with whatever data the caller passes: a cage's error, if asked to.
contract ErrorFakingProtocol {
    function fail(bytes calldata reason) external pure {
        bytes memory data = reason;
        assembly {
            revert(add(data, 0x20), mload(data))
        }
    }
}

/// @notice Answers, or reverts, with a megabyte.
contract ReturnBomb {
    function succeed() external pure {
        assembly {
            return(0, 1000000)
        }
    }

    function fail() external pure {
        assembly {
            revert(0, 1000000)
        }
    }
}

/// @notice Makes every call it was told to as soon as it is called or paid, and keeps what came back. Stands in for an owner,
/// a guardian, a golem or an attacker that gets control in the middle of something.
contract Reenterer {
    struct Reentry {
        address target;
        bytes data;
    }

    struct Outcome {
        bool success;
        bytes answer;
    }

    Reentry[] private _reentries;
    Outcome[] private _outcomes;
    bool private _isRunning;

    receive() external payable {
        run();
    }

    function plan(address target, bytes calldata data) external {
        _reentries.push(Reentry(target, data));
    }

    function run() public payable {
        if (_isRunning) return;
        _isRunning = true;
        for (uint256 i; i < _reentries.length; ++i) {
            (bool success, bytes memory answer) = _reentries[i].target.call(_reentries[i].data);
            _outcomes.push(Outcome(success, answer));
        }
        _isRunning = false;
    }

    function outcomes() external view returns (Outcome[] memory) {
        return _outcomes;
    }
}
