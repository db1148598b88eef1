// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

/// @notice A price feed with the storage accesses of Chainlink's OCR2 aggregator: access control, the latest round's number and the
/// round itself, each in a word of its own.
contract MockAggregator {
    struct Round {
        int192 answer;
        uint32 startedAt;
        uint32 updatedAt;
    }

    uint8 public immutable decimals;
    mapping(address reader => bool) public hasAccess;
    bool public isAccessChecked;
    uint32 public latestRound;
    mapping(uint32 round => Round) public rounds;

    constructor(uint8 decimals_, int256 answer) {
        decimals = decimals_;
        isAccessChecked = true;
        hasAccess[address(0)] = true;
        setAnswer(answer);
    }

    /// @notice Reports `answer` as of now.
    function setAnswer(int256 answer) public {
        setRound(answer, block.timestamp, block.timestamp);
    }

    /// @notice Reports any round, plausible or not.
    function setRound(int256 answer, uint256 startedAt, uint256 updatedAt) public {
        rounds[++latestRound] = Round(int192(answer), uint32(startedAt), uint32(updatedAt));
    }

    function allow(address reader) external {
        hasAccess[reader] = true;
    }

    function latestRoundData() external view returns (uint80, int256, uint256, uint256, uint80) {
        require(!isAccessChecked || hasAccess[msg.sender] || hasAccess[address(0)], "No access");
        uint32 round = latestRound;
        Round memory data = rounds[round];
        return (round, data.answer, data.startedAt, data.updatedAt, round);
    }
}

/// @notice The proxy in front of an aggregator, as Chainlink deploys it: its access controller and the current phase are read first,
/// and the round number carries the phase.
contract MockAggregatorProxy {
    struct Phase {
        uint16 id;
        MockAggregator aggregator;
    }

    address public accessController;
    Phase private _phase;

    constructor(MockAggregator aggregator_) {
        _phase = Phase(1, aggregator_);
        aggregator_.allow(address(this));
    }

    function aggregator() external view returns (MockAggregator) {
        return _phase.aggregator;
    }

    function decimals() external view returns (uint8) {
        return _phase.aggregator.decimals();
    }

    function latestRoundData()
        external
        view
        returns (uint80 roundId, int256 answer, uint256 startedAt, uint256 updatedAt, uint80 answeredInRound)
    {
        require(accessController == address(0), "No access");
        Phase memory phase = _phase;
        (roundId, answer, startedAt, updatedAt, answeredInRound) = phase.aggregator.latestRoundData();
        uint80 offset = uint80(phase.id) << 64;
        return (roundId | offset, answer, startedAt, updatedAt, answeredInRound | offset);
    }
}

/// @notice A proxy's answer alone, which Chainlink's proxies still give and Aave asks for.
contract MockAnswerReader {
    MockAggregatorProxy private immutable _proxy;

    constructor(MockAggregatorProxy proxy) {
        _proxy = proxy;
    }

    function latestAnswer() external view returns (int256 answer) {
        (, answer, , , ) = _proxy.latestRoundData();
    }
}
