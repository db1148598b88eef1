// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

/// @notice A feed that can be made to fail in every way a feed fails.
contract DyingFeed {
    enum Failure {
        None,
        Revert,
        Short,
        BurnGas,
        ReturnBomb
    }

    uint8 public constant decimals = 8;
    int256 public answer;
    uint256 public updatedAt;
    Failure public failure;

    constructor(int256 answer_) {
        answer = answer_;
        updatedAt = block.timestamp;
    }

    function set(int256 answer_, uint256 updatedAt_) external {
        answer = answer_;
        updatedAt = updatedAt_;
    }

    function setFailure(Failure failure_) external {
        failure = failure_;
    }

    function latestRoundData() external view returns (uint80, int256, uint256, uint256, uint80) {
        Failure kind = failure;
        if (kind == Failure.Revert) revert("dead");
        assembly {
            switch kind
            case 2 {
                return(0, 159)
            }
            case 3 {
                for {} 1 {} {}
            }
            case 4 {
                revert(0, 1000000)
            }
        }
        return (1, answer, updatedAt, updatedAt, 1);
    }
}

/// @notice An ERC-1271 signer that answers whatever it was told.
contract LyingSigner {
    bytes public answer;
    bool public reverts;

    function set(bytes calldata answer_, bool reverts_) external {
        answer = answer_;
        reverts = reverts_;
    }

    fallback(bytes calldata) external returns (bytes memory) {
        require(!reverts, "no");
        return answer;
    }
}
