// SPDX-License-Identifier: MIT
// Written by `npm run generate`.
pragma solidity ^0.8.28;

/// @title Authority selectors
/// @notice Functions that give rights over assets away, from `contracts/authority-selectors.json`. Value that leaves later is value
/// lost now, so no configuration allows these calls.
library AuthoritySelectors {
    /// 64 selectors of four bytes, ascending.
    bytes private constant LIST =
        hex"095bcdb6095ea7b30b52d5580d58b1db110496e51296ee62137c29fe23b872dd2a2d80d12b67b5702eb2c2d630f28b7a"
        hex"3177029f36c7851638c74dd9395093513aea60f04000aea0426a849342842e0e4659a494558a7297571ac8b05c19a95c"
        hex"62ad1b83639d71a9745a41bc7ac2ff7b8069218f87517c4588b7ab638fcbaf0c959b8c3f9bd9bbc69f5c462a9fd5a6cf"
        hex"a22cb465a3b22fc4a4a78f0ca9059cbbab3fdd50b88d4fdebb24d994be45fd62c04a8a10c14c11bfc1d34b89c2e3140a"
        hex"c3cda520cab372cecae9ca51cf092995d505accfd73dd623d8fbe994e3ee160eedd9444beecea000ef55bec6f242432a"
        hex"f3995c67fa6e671dfe8ec1a7fe99049a";

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
