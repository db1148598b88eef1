// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {AccountERC7579Hooked} from "@openzeppelin/contracts/account/extensions/draft-AccountERC7579Hooked.sol";
import {MODULE_TYPE_VALIDATOR} from "@openzeppelin/contracts/interfaces/draft-IERC7579.sol";
import {IEntryPoint} from "@openzeppelin/contracts/interfaces/IERC4337.sol";

/// @notice OpenZeppelin's account, with nothing added but where its entry point is and who validates first.
contract HookedAccount is AccountERC7579Hooked {
    IEntryPoint private immutable _entryPoint;

    constructor(IEntryPoint entryPoint_, address validator, bytes memory data) {
        _entryPoint = entryPoint_;
        _installModule(MODULE_TYPE_VALIDATOR, validator, data);
    }

    function entryPoint() public view override returns (IEntryPoint) {
        return _entryPoint;
    }
}
