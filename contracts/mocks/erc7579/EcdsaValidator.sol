// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {IERC1271} from "@openzeppelin/contracts/interfaces/IERC1271.sol";
import {IERC7579Validator, MODULE_TYPE_VALIDATOR} from "@openzeppelin/contracts/interfaces/draft-IERC7579.sol";
import {PackedUserOperation} from "@openzeppelin/contracts/interfaces/IERC4337.sol";
import {ERC4337Utils} from "@openzeppelin/contracts/account/utils/ERC4337Utils.sol";
import {SignatureChecker} from "@openzeppelin/contracts/utils/cryptography/SignatureChecker.sol";

/// @notice One signer an account, whom the account names when it installs this.
contract EcdsaValidator is IERC7579Validator {
    mapping(address account => address) public signerOf;

    function onInstall(bytes calldata data) external {
        signerOf[msg.sender] = abi.decode(data, (address));
    }

    function onUninstall(bytes calldata) external {
        delete signerOf[msg.sender];
    }

    function isModuleType(uint256 moduleTypeId) external pure returns (bool) {
        return moduleTypeId == MODULE_TYPE_VALIDATOR;
    }

    function validateUserOp(PackedUserOperation calldata operation, bytes32 hash) external view returns (uint256) {
        return
            SignatureChecker.isValidSignatureNow(signerOf[msg.sender], hash, operation.signature)
                ? ERC4337Utils.SIG_VALIDATION_SUCCESS
                : ERC4337Utils.SIG_VALIDATION_FAILED;
    }

    function isValidSignatureWithSender(
        address,
        bytes32 hash,
        bytes calldata signature
    ) external view returns (bytes4) {
        bool isValid = SignatureChecker.isValidSignatureNow(signerOf[msg.sender], hash, signature);
        return isValid ? IERC1271.isValidSignature.selector : bytes4(0xffffffff);
    }
}
