// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {ISanctionsList} from "../interfaces/ISanctionsList.sol";

/// @notice A sanctions list that anyone may edit, with a switch for every way to fail.
contract MockSanctionsList is ISanctionsList {
    enum Failure {
        None,
        Revert,
        Short,
        Long,
        NotBoolean,
        BurnGas
    }

    mapping(address target => bool) private _listed;
    Failure public failure;

    function set(address target, bool listed) external {
        _listed[target] = listed;
    }

    function setFailure(Failure failure_) external {
        failure = failure_;
    }

    function isSanctioned(address addr) external view returns (bool) {
        if (failure != Failure.None) _fail();
        return _listed[addr];
    }

    function _fail() private view {
        Failure kind = failure;
        if (kind == Failure.Revert) revert("down");
        assembly {
            switch kind
            case 2 {
                return(0, 31)
            }
            case 3 {
                return(0, 64)
            }
            case 4 {
                mstore(0, 2)
                return(0, 32)
            }
            default {
                for {} 1 {} {}
            }
        }
    }
}
