// SPDX-License-Identifier: MIT
pragma solidity ^0.8.28;

import {HighWaterMark, PolicyCageConfig} from "../../../contracts/interfaces/Types.sol";
import {Constitution} from "../../../contracts/rules/Constitution.sol";
import {IWholeCage} from "../support/CageFixture.sol";
import {ConfigFixture} from "../support/ConfigFixture.sol";

/// @notice What the SDK hashes, hashed by the contracts: `test/fixtures/generated/vectors.json`, which TypeScript tests read too.
contract VectorsTest is ConfigFixture {
    string internal vectors;

    function setUp() public override {
        super.setUp();
        vectors = vm.readFile("test/fixtures/generated/vectors.json");
    }

    function test_ConstitutionHashesAreTheOnesOfTheSdk() public view {
        bytes[] memory encoded = vm.parseJsonBytesArray(vectors, "$.constitutions.encoded");
        bytes32[] memory hashes = vm.parseJsonBytes32Array(vectors, "$.constitutions.hashes");
        assertGt(encoded.length, 0);
        assertEq(encoded.length, hashes.length);

        for (uint256 i; i < encoded.length; ++i) {
            PolicyCageConfig memory config = abi.decode(encoded[i], (PolicyCageConfig));

            assertEq(Constitution.hash(config), hashes[i], vm.toString(i));
        }
    }

    function test_MarkDigestsAreTheOnesOfTheSdk() public {
        bytes32[] memory digests = vm.parseJsonBytes32Array(vectors, "$.marks.digests");
        bytes memory code = address(cage).code;
        assertGt(digests.length, 0);

        for (uint256 i; i < digests.length; ++i) {
            cage = IWholeCage(vm.parseJsonAddressArray(vectors, "$.marks.cages")[i]);
            vm.etch(address(cage), code);
            vm.chainId(markField("chainIds", i));

            assertEq(markDigest(markAt(i)), digests[i], vm.toString(i));
        }
    }

    function markAt(uint256 i) internal view returns (HighWaterMark memory) {
        return
            HighWaterMark(
                markField("values", i),
                markField("asOfs", i),
                markField("nonces", i),
                markField("deadlines", i)
            );
    }

    function markField(string memory name, uint256 i) internal view returns (uint256) {
        return vm.parseJsonUintArray(vectors, string.concat("$.marks.", name))[i];
    }
}
