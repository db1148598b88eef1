// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {RateLimiter} from "@openzeppelin/contracts/utils/RateLimiter.sol";
import {SlidingWindow} from "../measure/SlidingWindow.sol";

/// @notice Something that lets `CAP` through in 24 hours, by its own understanding of 24 hours.
abstract contract WindowHarness {
    uint208 public constant CAP = 100_000e6;
    uint48 public constant DURATION = 24 hours;

    error CapExceeded(uint256 amount, uint256 left);

    /// @notice Charges `amount`, or reverts.
    function charge(uint256 amount) external virtual;

    /// @notice The most that can be charged now.
    function left() external view virtual returns (uint256);
}

/// @notice The cage's own window.
contract HourlyLanesHarness is WindowHarness {
    using SlidingWindow for SlidingWindow.Head;
    using SlidingWindow for SlidingWindow.Window;

    SlidingWindow.Window private _window;

    constructor() {
        _window.start(block.timestamp);
    }

    function charge(uint256 amount) external override {
        SlidingWindow.Head head = _window.rolled(block.timestamp);
        uint256 remaining = CAP - head.total();
        if (amount > remaining) revert CapExceeded(amount, remaining);
        _window.charge(head, amount, 0);
    }

    function left() public view override returns (uint256) {
        return CAP - _window.rolled(block.timestamp).total();
    }
}

/// @notice A counter that starts anew with every calendar day.
contract FixedPeriodHarness is WindowHarness {
    uint208 private _spent;
    uint48 private _day;

    function charge(uint256 amount) external override {
        uint256 remaining = left();
        if (amount > remaining) revert CapExceeded(amount, remaining);
        _spent = uint208(CAP - remaining + amount);
        _day = uint48(block.timestamp / DURATION);
    }

    function left() public view override returns (uint256) {
        return _day == block.timestamp / DURATION ? CAP - _spent : CAP;
    }
}

/// @notice OpenZeppelin's window, which keeps a checkpoint of every charge.
contract CheckpointsHarness is WindowHarness {
    using RateLimiter for RateLimiter.SlidingWindow;

    RateLimiter.SlidingWindow private _window;

    constructor() {
        _window.updateSettings(DURATION, CAP);
    }

    function charge(uint256 amount) external override {
        _window.consume("", amount);
    }

    function left() external view override returns (uint256) {
        return _window.available("");
    }
}

/// @notice OpenZeppelin's bucket, which refills evenly over 24 hours.
contract RefillingBucketHarness is WindowHarness {
    using RateLimiter for RateLimiter.RefillingBucket;

    RateLimiter.RefillingBucket private _bucket;

    constructor() {
        _bucket.updateSettings(DURATION, CAP);
    }

    function charge(uint256 amount) external override {
        _bucket.consume("", amount);
    }

    function left() external view override returns (uint256) {
        return _bucket.available("");
    }
}
