// SPDX-License-Identifier: MIT
// Written by `npm run generate`.
pragma solidity ^0.8.28;

import {SelectorList} from "../rules/SelectorList.sol";

/// @title AuthoritySelectors
/// @notice Functions that give rights over assets away. Value that leaves later is value lost now.
/// @dev From `contracts/authority-selectors.json`.
library AuthoritySelectors {
    /// 132 selectors of four bytes, ascending.
    bytes private constant LIST =
        hex"00cd9ef3095bcdb6095ea7b30b52d5580b63fb620d58b1db103ef9e1110496e51296ee62137c29fe18af4d6019043543"
        hex"1b0dbf721fad948c23b872dd292a3f0b29965a1d2a2d80d12b67b5702eb2c2d63088559130f28b7a30ff31403177029f"
        hex"34deadf236c7851638c74dd9395093513aea60f03c4af04f3d140d213ed010154000aea04180e5b5426a849342842e0e"
        hex"439e2e45447fbc634659a494468721a746c02d7a4b1d7cf54efe8af75229073f558a7297571ac8b05c19a95c5df8122f"
        hex"6111be2e62ad1b83639d71a9685ee3e86a7612027243fb93745a41bc765e827f7ac2ff7b7f8baa378069218f811b3d40"
        hex"85b53fc887517c45881477328874e10488b7ab638fcbaf0c959b8c3f9bb8f8389bd9bbc69c79ce359f5c462a9f61d336"
        hex"9fd5a6cfa0169ddda22cb465a3b22fc4a4a78f0ca5c4e74ba9059cbba918058dab3fdd50b09f1fb1b68f4004b753a98c"
        hex"b88d4fdeb8caa7c5bb24d994bb35783bbb9fe6bfbc87acbfbdf98116be45fd62c04a8a10c14c11bfc1d34b89c1ee2c18"
        hex"c23a5ceac2e3140ac368516cc3cda520c5b73ed0cab372cecae9ca51cef6d209cf092995d4d9bdcdd505accfd6491eaf"
        hex"d691c964d73dd623d8fbe994daea85c5dbed18e0dd289d60ddbf54fde3ee160eea7faa61ec6cb13fedd9444beea9064b"
        hex"eecea000ef55bec6ef9aacfdf242432af2fde38bf3995c67f9f30db6fa6e671dfcafcc68fe8ec1a7fe99049afff59f09";

    /// @notice True when `selector` is on the list.
    function contains(bytes4 selector) internal pure returns (bool) {
        return SelectorList.contains(LIST, selector);
    }
}
