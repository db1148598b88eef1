// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

/// @notice Says what it was taught, as a pool, a token or a vault would, or fails in every way a contract fails.
contract Impostor {
    enum Manner {
        Answer,
        Revert,
        BurnGas,
        ReturnBomb,
        RevertBomb,
        Short
    }

    Manner public manner;
    mapping(bytes4 selector => bytes) private _answers;

    function teach(bytes4 selector, bytes calldata answer) external {
        _answers[selector] = answer;
    }

    function setManner(Manner manner_) external {
        manner = manner_;
    }

    fallback() external {
        Manner how = manner;
        bytes memory answer = _answers[msg.sig];
        assembly {
            switch how
            case 1 {
                revert(0, 0)
            }
            case 2 {
                invalid()
            }
            case 3 {
                return(0, 1000000)
            }
            case 4 {
                revert(0, 1000000)
            }
            case 5 {
                return(add(answer, 0x20), 31)
            }
            default {
                return(add(answer, 0x20), mload(answer))
            }
        }
    }
}
