import {
  type Abi,
  type Address,
  encodeAbiParameters,
  encodeDeployData,
  getContractAddress,
  type Hex,
  keccak256,
  size,
  toHex,
} from "viem";
import { creationCode } from "../sdk/abi/generated/creation-code.ts";
import { policyCageAbi, policyCageFactoryAbi } from "../sdk/abi/index.ts";
import type { PolicyCageConfig, Roles } from "../sdk/policy/model/types.ts";

/** CreateX, at the same address on every network: https://github.com/pcaversaccio/createx */
export const CREATE_X: Address = "0xba5Ed099633D3B313e4D5F7bdc1305d3c28ba5Ed";

/** Salt of everything that is the same for every cage; another salt would put it elsewhere. */
export const SALT: Hex = keccak256(toHex("policycage 1"));

/** Where CreateX puts `initCode`: it hashes a salt that names neither a sender nor a chain. */
export function createdAt(initCode: Hex): Address {
  return getContractAddress({
    opcode: "CREATE2",
    from: CREATE_X,
    salt: keccak256(SALT),
    bytecodeHash: keccak256(initCode),
  });
}

/** Creation code of `name` with the addresses of its libraries put in. */
function linked(name: keyof typeof creationCode, libraries: Record<string, Address>): Hex {
  const { code, links } = creationCode[name];
  let digits = code.slice(2);
  for (const [library, places] of Object.entries(links)) {
    const address = libraries[library];
    if (address === undefined) throw new Error(`${name} needs the address of the library ${library}.`);
    for (const place of places) {
      digits = digits.slice(0, place * 2) + address.slice(2).toLowerCase() + digits.slice(place * 2 + 40);
    }
  }

  return `0x${digits}`;
}

/** What is deployed once a network, in the order in which it is deployed: name, creation code and address. */
function infrastructureOf() {
  const Constitution = createdAt(linked("Constitution", {}));
  const configurationCode = linked("Configuration", { Constitution });
  const Configuration = createdAt(configurationCode);
  const stewardshipCode = linked("Stewardship", { Configuration });
  const Stewardship = createdAt(stewardshipCode);
  const cageCode = linked("PolicyCage", { Configuration, Stewardship });
  const factoryCode = encodeDeployData({
    abi: policyCageFactoryAbi,
    bytecode: linked("PolicyCageFactory", {}),
    args: [keccak256(cageCode)],
  });

  return {
    cageCode,
    sizes: {
      Constitution: size(linked("Constitution", {})),
      Configuration: size(configurationCode),
      Stewardship: size(stewardshipCode),
      PolicyCageFactory: size(factoryCode),
    },
    addresses: { Constitution, Configuration, Stewardship, PolicyCageFactory: createdAt(factoryCode) },
  };
}

const infrastructure = infrastructureOf();

/** Libraries and factory, at the same addresses on every network. */
export const addresses = infrastructure.addresses;

/** Bytes of creation code of each of them. */
export const infrastructureSizes = infrastructure.sizes;

/** Creation code of a cage, linked with those libraries: what the factory takes. */
export const cageCode = infrastructure.cageCode;

/** What the factory knows that code by. */
export const cageCodeHash = keccak256(cageCode);

export type CageOrder = { config: PolicyCageConfig; roles: Roles; salt: Hex; creator: Address };

/** Where the factory puts the cage that `creator` orders, and the account it guards. The same as `addressesOf` of the factory. */
export function cageAddresses({ config, roles, salt, creator }: CageOrder): { cage: Address; account: Address } {
  const initCode = encodeDeployData({ abi: policyCageAbi, bytecode: cageCode, args: [config, roles] });
  const cage = getContractAddress({
    opcode: "CREATE2",
    from: addresses.PolicyCageFactory,
    salt: keccak256(encodeAbiParameters([{ type: "address" }, { type: "bytes32" }], [creator, salt])),
    bytecodeHash: keccak256(initCode),
  });

  return { cage, account: getContractAddress({ from: cage, nonce: 1n }) };
}

/** What Ignition calls an artifact. It links the code itself. */
export function artifactOf(name: keyof typeof creationCode, abi: Abi) {
  const { code, links } = creationCode[name];

  return artifact(name, abi, code, links);
}

/** The artifact of `code`; `links` names the byte offsets at which the address of each library goes. */
export function artifact(name: string, abi: Abi, code: Hex, links: Record<string, readonly number[]> = {}) {
  const linkReferences = Object.fromEntries(
    Object.entries(links).map(([library, places]) => [
      `${library}.sol`,
      { [library]: places.map((start) => ({ start, length: 20 })) },
    ]),
  );

  return {
    _format: "hh3-artifact-1",
    contractName: name,
    sourceName: `${name}.sol`,
    abi,
    bytecode: code,
    // Ignition reads it for verification only, which uses the compiler's own output.
    deployedBytecode: "0x",
    linkReferences,
    deployedLinkReferences: {},
  };
}
