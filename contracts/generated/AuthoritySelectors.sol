// SPDX-License-Identifier: MIT
// Written by `npm run generate`.
pragma solidity ^0.8.28;

import {SelectorList} from "../rules/SelectorList.sol";

/// @title AuthoritySelectors
/// @notice Functions that give rights over assets away. Value that leaves later is value lost now.
/// @dev From `contracts/authority-selectors.json`.
library AuthoritySelectors {
    /// 154 selectors of four bytes, ascending.
    bytes private constant LIST =
        hex"00cd9ef3095bcdb6095ea7b30b52d5580b63fb620c0339910d58b1db103ef9e1110496e51296ee62137c29fe13af4035"
        hex"17fad7fc18af4d60190435431b0dbf721fad948c23b872dd292a3f0b29965a1d2a2d80d12b67b5702eb2c2d630885591"
        hex"30f28b7a30ff31403177029f34deadf2354b959036c7851638c74dd939255d5b395093513aea60f03c4af04f3d140d21"
        hex"3ed010154000aea04180e5b5426a849342842e0e4329d293439e2e45447fbc634659a494468721a746c02d7a4b1d7cf5"
        hex"4efe8af750209a625229073f54b770e3558a7297571ac8b057e6aa365a6c6dbc5c19a95c5df8122f604755cf6111be2e"
        hex"62ad1b8362fc305e639d71a9670e77e3685ee3e86a7612026ad3ca7d7243fb93745a41bc765e827f7ac2ff7b7f8baa37"
        hex"8069218f811b3d4085b53fc887517c45881477328874e10488b7ab638fcbaf0c94229ecb959b8c3f9ab2d0c79bb8f838"
        hex"9bd9bbc69c79ce359f5c462a9f61d3369fd5a6cfa0169ddda22cb465a3b22fc4a4a78f0ca5c4e74ba9059cbba918058d"
        hex"ab3fdd50ac5f5d00b09f1fb1b68f4004b753a98cb88d4fdeb8caa7c5bb24d994bb35783bbb9fe6bfbc87acbfbdf98116"
        hex"be45fd62c04a8a10c14c11bfc1d34b89c1ee2c18c23a5ceac2e3140ac368516cc3cda520c5ad5c1ac5b73ed0cab372ce"
        hex"cae9ca51cef6d209cf092995d4d9bdcdd505accfd6491eafd691c964d73dd623d8fbe994daea85c5dbed18e0dd289d60"
        hex"ddbf54fde15536b6e3ee160ee584b654e71bdf41ea7faa61ec6cb13fedd9444beea9064beecea000ef55bec6ef9aacfd"
        hex"f242432af2fde38bf31f88f0f3995c67f9f30db6fa6e671dfcafcc68fe8ec1a7fe99049afff59f09";

    /// @notice True when `selector` is on the list.
    function contains(bytes4 selector) internal pure returns (bool) {
        return SelectorList.contains(LIST, selector);
    }
}
