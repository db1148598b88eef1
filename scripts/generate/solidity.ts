import { keccak256, toFunctionSelector } from "viem";
import { read, write } from "./files.ts";

const HEADER = "// SPDX-License-Identifier: MIT\n// Written by `npm run generate`.\npragma solidity ^0.8.28;\n";

function authoritySelectors(): string {
  const signatures = JSON.parse(read("contracts/authority-selectors.json")) as string[];
  const selectors = signatures.map((signature) => toFunctionSelector(signature).slice(2)).sort();
  const lines = [];
  for (let i = 0; i < selectors.length; i += 12) lines.push(`        hex"${selectors.slice(i, i + 12).join("")}"`);

  return `${HEADER}
/// @title Authority selectors
/// @notice Functions that give rights over assets away, from \`contracts/authority-selectors.json\`. Value that leaves later is value
/// lost now, so no configuration allows these calls.
library AuthoritySelectors {
    /// ${selectors.length} selectors of four bytes, ascending.
    bytes private constant LIST =
${lines.join("\n")};

    /// @notice True when \`selector\` is on the list.
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
`;
}

function principles(): string {
  const hash = keccak256(new TextEncoder().encode(read("contracts/principles.md")));

  return `${HEADER}
/// @dev keccak256 of \`contracts/principles.md\`.
bytes32 constant PRINCIPLES_HASH = ${hash};
`;
}

/** What contracts need of committed data. */
export function generateSolidity(): void {
  write("contracts/generated/AuthoritySelectors.sol", authoritySelectors());
  write("contracts/generated/Principles.sol", principles());
}
