// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {CageFixture} from "../support/CageFixture.sol";

/// @notice Which bytecode the suites run on. `scripts/production-suites.ts` runs them on what is deployed, and says so here.
contract CodeTest is CageFixture {
    /// Code ends with the hash of the compiler's settings and sources, 53 bytes in all.
    uint256 private constant METADATA = 53;

    function test_TheCodeUnderTestIsTheOneThatIsNamed() public {
        bytes[] memory named = vm.envOr("CODE_UNDER_TEST", ",", new bytes[](0));
        vm.skip(named.length == 0);

        assertEq(named.length, 2);
        assertEq(_endOf(address(cage)), named[0], "the cage");
        assertEq(_endOf(address(account)), named[1], "the account");
    }

    function _endOf(address target) private view returns (bytes memory end) {
        bytes memory code = target.code;
        end = new bytes(METADATA);
        for (uint256 i; i < METADATA; ++i) end[i] = code[code.length - METADATA + i];
    }
}
