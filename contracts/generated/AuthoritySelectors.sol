// SPDX-License-Identifier: MIT
// Written by `npm run generate`.
pragma solidity ^0.8.28;

/// @title Authority selectors
/// @notice Functions that give rights over assets away, from `contracts/authority-selectors.json`. Value that leaves later is value
/// lost now, so no configuration allows these calls.
library AuthoritySelectors {
    /// 76 selectors of four bytes, ascending.
    bytes private constant LIST =
        hex"095bcdb6095ea7b30b52d5580b63fb620d58b1db110496e51296ee62137c29fe23b872dd2a2d80d12b67b5702eb2c2d6"
        hex"30f28b7a3177029f36c7851638c74dd9395093513aea60f04000aea0426a849342842e0e4659a49446c02d7a558a7297"
        hex"571ac8b05c19a95c62ad1b83639d71a9745a41bc7ac2ff7b8069218f85b53fc887517c4588b7ab638fcbaf0c959b8c3f"
        hex"9bd9bbc69f5c462a9fd5a6cfa0169ddda22cb465a3b22fc4a4a78f0ca9059cbbab3fdd50b68f4004b88d4fdeb8caa7c5"
        hex"bb24d994bc87acbfbdf98116be45fd62c04a8a10c14c11bfc1d34b89c2e3140ac368516cc3cda520cab372cecae9ca51"
        hex"cf092995d505accfd73dd623d8fbe994dd289d60e3ee160eec6cb13fedd9444beecea000ef55bec6f242432af3995c67"
        hex"fa6e671dfcafcc68fe8ec1a7fe99049a";

    /// @notice True when `selector` is on the list.
    function contains(bytes4 selector) internal pure returns (bool) {
        bytes memory list = LIST;
        for (uint256 i; i < list.length; i += 4) {
            bytes4 listed;
            assembly ("memory-safe") {
                listed := and(mload(add(add(list, 0x20), i)), shl(224, 0xffffffff))
            }
            if (listed == selector) return true;
        }
        return false;
    }
}
