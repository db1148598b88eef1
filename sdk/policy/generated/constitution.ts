// Written by `npm run generate`.

/** EIP-712 types of the constitution: `contracts/constitution.type`. */
export const constitutionTypes = {
  "Constitution": [
    {
      "name": "principlesHash",
      "type": "bytes32"
    },
    {
      "name": "assets",
      "type": "AssetConfig[]"
    },
    {
      "name": "maxAssetCount",
      "type": "uint8"
    },
    {
      "name": "approvedProtocols",
      "type": "address[]"
    },
    {
      "name": "strategyWhitelist",
      "type": "Strategy[]"
    },
    {
      "name": "allowArbitraryCalldata",
      "type": "bool"
    },
    {
      "name": "hasMainWallet",
      "type": "bool"
    },
    {
      "name": "mainWallet",
      "type": "address"
    },
    {
      "name": "cladeWallets",
      "type": "address[]"
    },
    {
      "name": "maxPositionBps",
      "type": "uint16"
    },
    {
      "name": "maxPositions",
      "type": "uint8"
    },
    {
      "name": "maxConcentrationBps",
      "type": "uint16"
    },
    {
      "name": "minCollateralRatioBps",
      "type": "uint32"
    },
    {
      "name": "drawdownThresholdBps",
      "type": "uint16"
    },
    {
      "name": "maxDrawdownBps",
      "type": "uint16"
    },
    {
      "name": "drawdownWindow",
      "type": "uint32"
    },
    {
      "name": "minRebalanceInterval",
      "type": "uint32"
    },
    {
      "name": "maxRebalancesPerDay",
      "type": "uint8"
    },
    {
      "name": "perTransactionCapUsdc",
      "type": "uint56"
    },
    {
      "name": "perSessionCapUsdc",
      "type": "uint56"
    },
    {
      "name": "perDayCapUsdc",
      "type": "uint56"
    },
    {
      "name": "maxTradeLossBps",
      "type": "uint16"
    },
    {
      "name": "largeTradeValueUsdc",
      "type": "uint56"
    },
    {
      "name": "largeTradeDelay",
      "type": "uint32"
    },
    {
      "name": "shutdownReserve",
      "type": "uint256"
    },
    {
      "name": "sanctionOracle",
      "type": "address"
    },
    {
      "name": "isSanctionsScreeningOn",
      "type": "bool"
    },
    {
      "name": "baseAsset",
      "type": "address"
    },
    {
      "name": "wrappedNative",
      "type": "address"
    },
    {
      "name": "hasSequencerFeed",
      "type": "bool"
    },
    {
      "name": "sequencerFeed",
      "type": "address"
    },
    {
      "name": "valuers",
      "type": "Valuer[]"
    }
  ],
  "AssetConfig": [
    {
      "name": "asset",
      "type": "address"
    },
    {
      "name": "isSellOnly",
      "type": "bool"
    },
    {
      "name": "feed",
      "type": "address"
    },
    {
      "name": "heartbeat",
      "type": "uint32"
    },
    {
      "name": "minAnswer",
      "type": "uint96"
    },
    {
      "name": "maxAnswer",
      "type": "uint96"
    },
    {
      "name": "dust",
      "type": "uint128"
    },
    {
      "name": "issuer",
      "type": "address"
    }
  ],
  "Strategy": [
    {
      "name": "protocol",
      "type": "address"
    },
    {
      "name": "selector",
      "type": "bytes4"
    }
  ],
  "Valuer": [
    {
      "name": "protocol",
      "type": "address"
    },
    {
      "name": "valuer",
      "type": "address"
    }
  ]
} as const;

/** The eight sentences of `contracts/principles.md`. */
export const principles = [
  {
    "name": "Concentration",
    "rule": "No single protocol holds more of the portfolio than the owner allows."
  },
  {
    "name": "Collateral",
    "rule": "Nothing is borrowed against thinner collateral than the owner allows."
  },
  {
    "name": "Assets",
    "rule": "Only assets the owner approved are bought, and only protocols the owner approved are called."
  },
  {
    "name": "Sanctions",
    "rule": "Nothing is sent to or through a sanctioned address; without a clear answer nothing is sent."
  },
  {
    "name": "Immutability",
    "rule": "The agent can read these rules and can not change them."
  },
  {
    "name": "Shutdown reserve",
    "rule": "Enough base asset is left to end in good order."
  },
  {
    "name": "Inheritance",
    "rule": "What an agent spawns lives under the same rules."
  },
  {
    "name": "Inaction",
    "rule": "In doubt, nothing is done."
  }
] as const;

/** keccak256 of `contracts/principles.md`. */
export const PRINCIPLES_HASH = "0xf83ecdc1fb260ab82b98c16fc2f319e5a4497adf5a0a08427b2b41144b8ad792";

/** Functions that give rights over assets away, by selector: `contracts/authority-selectors.json`. */
export const authoritySelectors: ReadonlyMap<string, string> = new Map([
  [
    "0x00cd9ef3",
    "grantPermission(uint128,bytes32,address)"
  ],
  [
    "0x095bcdb6",
    "transfer(address,uint256,uint256)"
  ],
  [
    "0x095ea7b3",
    "approve(address,uint256)"
  ],
  [
    "0x0b52d558",
    "delegationWithSig(address,address,uint256,uint256,uint8,bytes32,bytes32)"
  ],
  [
    "0x0b63fb62",
    "cdpAllow(uint256,address,uint256)"
  ],
  [
    "0x0d58b1db",
    "transferFrom((address,address,uint160,address)[])"
  ],
  [
    "0x103ef9e1",
    "authorizeOperatorByPartition(bytes32,address)"
  ],
  [
    "0x110496e5",
    "allow(address,bool)"
  ],
  [
    "0x1296ee62",
    "transferAndCall(address,uint256)"
  ],
  [
    "0x137c29fe",
    "permitWitnessTransferFrom(((address,uint256),uint256,uint256),(address,uint256),address,bytes32,string,bytes)"
  ],
  [
    "0x18af4d60",
    "flux(bytes32,uint256,address,uint256)"
  ],
  [
    "0x19043543",
    "setBotPermissions(address,uint192)"
  ],
  [
    "0x1b0dbf72",
    "quit(uint256,address)"
  ],
  [
    "0x1fad948c",
    "handleOps((address,uint256,bytes,bytes,uint256,uint256,uint256,uint256,uint256,bytes,bytes)[],address)"
  ],
  [
    "0x23b872dd",
    "transferFrom(address,address,uint256)"
  ],
  [
    "0x292a3f0b",
    "setRemoveManager(uint256,address)"
  ],
  [
    "0x29965a1d",
    "setInterfaceImplementer(address,bytes32,address)"
  ],
  [
    "0x2a2d80d1",
    "permit(address,((address,uint160,uint48,uint48)[],address,uint256),bytes)"
  ],
  [
    "0x2b67b570",
    "permit(address,((address,uint160,uint48,uint48),address,uint256),bytes)"
  ],
  [
    "0x2eb2c2d6",
    "safeBatchTransferFrom(address,address,uint256[],uint256[],bytes)"
  ],
  [
    "0x30885591",
    "updateFlowOperatorPermissions(address,address,uint8,int96)"
  ],
  [
    "0x30f28b7a",
    "permitTransferFrom(((address,uint256),uint256,uint256),(address,uint256),address,bytes)"
  ],
  [
    "0x30ff3140",
    "delegateAll(address,bytes32,bool)"
  ],
  [
    "0x3177029f",
    "approveAndCall(address,uint256)"
  ],
  [
    "0x34deadf2",
    "setReceiveApproval(address,uint256)"
  ],
  [
    "0x36c78516",
    "transferFrom(address,address,uint160,address)"
  ],
  [
    "0x38c74dd9",
    "approvePlugin(address)"
  ],
  [
    "0x39509351",
    "increaseAllowance(address,uint256)"
  ],
  [
    "0x3aea60f0",
    "permitForAll(address,address,bool,uint256,uint256,bytes)"
  ],
  [
    "0x3c4af04f",
    "approveBorrow(address,uint256,address,uint256)"
  ],
  [
    "0x3d140d21",
    "approve(address,bool)"
  ],
  [
    "0x3ed01015",
    "enableDelegation((address,address,bytes32,(address,bytes,bytes)[],uint256,bytes))"
  ],
  [
    "0x4000aea0",
    "transferAndCall(address,uint256,bytes)"
  ],
  [
    "0x4180e5b5",
    "approveClaimOnBehalf(address)"
  ],
  [
    "0x426a8493",
    "approve(address,uint256,uint256)"
  ],
  [
    "0x42842e0e",
    "safeTransferFrom(address,address,uint256)"
  ],
  [
    "0x439e2e45",
    "transferAsset(address,address,uint256)"
  ],
  [
    "0x447fbc63",
    "approveExchangeOnBehalf(address)"
  ],
  [
    "0x4659a494",
    "selfPermitAllowed(address,uint256,uint256,uint8,bytes32,bytes32)"
  ],
  [
    "0x468721a7",
    "execTransactionFromModule(address,uint256,bytes,uint8)"
  ],
  [
    "0x46c02d7a",
    "preSign(bytes32)"
  ],
  [
    "0x4b1d7cf5",
    "handleAggregatedOps(((address,uint256,bytes,bytes,uint256,uint256,uint256,uint256,uint256,bytes,bytes)[],address,bytes)[],address)"
  ],
  [
    "0x4efe8af7",
    "transferLP(address,address,uint256[])"
  ],
  [
    "0x5229073f",
    "execTransactionFromModuleReturnData(address,uint256,bytes,uint8)"
  ],
  [
    "0x558a7297",
    "setOperator(address,bool)"
  ],
  [
    "0x571ac8b0",
    "approveMax(address)"
  ],
  [
    "0x5c19a95c",
    "delegate(address)"
  ],
  [
    "0x5df8122f",
    "setManager(address,address)"
  ],
  [
    "0x6111be2e",
    "flux(bytes32,address,address,uint256)"
  ],
  [
    "0x62ad1b83",
    "operatorSend(address,address,uint256,bytes,bytes)"
  ],
  [
    "0x639d71a9",
    "approveZeroThenMax(address)"
  ],
  [
    "0x685ee3e8",
    "delegateForAll(address,bool)"
  ],
  [
    "0x6a761202",
    "execTransaction(address,uint256,bytes,uint8,uint256,uint256,uint256,address,address,bytes)"
  ],
  [
    "0x7243fb93",
    "grantPermissions(address,address)"
  ],
  [
    "0x745a41bc",
    "permit(address,uint256,uint256,bytes)"
  ],
  [
    "0x765e827f",
    "handleOps((address,uint256,bytes,bytes,bytes32,uint256,bytes32,bytes,bytes)[],address)"
  ],
  [
    "0x7ac2ff7b",
    "permit(address,uint256,uint256,uint8,bytes32,bytes32)"
  ],
  [
    "0x7f8baa37",
    "approveLPTransferors(address[])"
  ],
  [
    "0x8069218f",
    "setAuthorizationWithSig((address,address,bool,uint256,uint256),(uint8,bytes32,bytes32))"
  ],
  [
    "0x811b3d40",
    "updateFlowOperatorPermissions(address,address,uint8,int96,bytes)"
  ],
  [
    "0x85b53fc8",
    "setOperators((address,bool)[])"
  ],
  [
    "0x87517c45",
    "approve(address,address,uint160,uint48)"
  ],
  [
    "0x88147732",
    "validate(((address,address,(uint8,address,uint256,uint256,uint256)[],(uint8,address,uint256,uint256,uint256,address)[],uint8,uint256,uint256,bytes32,uint256,bytes32,uint256),bytes)[])"
  ],
  [
    "0x8874e104",
    "setUserPositionManager(address,bool)"
  ],
  [
    "0x88b7ab63",
    "receiveWithAuthorization(address,address,uint256,uint256,uint256,bytes32,bytes)"
  ],
  [
    "0x8fcbaf0c",
    "permit(address,address,uint256,uint256,bool,uint8,bytes32,bytes32)"
  ],
  [
    "0x959b8c3f",
    "authorizeOperator(address)"
  ],
  [
    "0x9bb8f838",
    "flux(uint256,address,uint256)"
  ],
  [
    "0x9bd9bbc6",
    "send(address,uint256,bytes)"
  ],
  [
    "0x9c79ce35",
    "approveBurnOnBehalf(address)"
  ],
  [
    "0x9f5c462a",
    "setAccountOperator(address,address,bool)"
  ],
  [
    "0x9f61d336",
    "approveIssueOnBehalf(address)"
  ],
  [
    "0x9fd5a6cf",
    "permit(address,address,uint256,uint256,bytes)"
  ],
  [
    "0xa0169ddd",
    "setClaimerFor(address)"
  ],
  [
    "0xa22cb465",
    "setApprovalForAll(address,bool)"
  ],
  [
    "0xa3b22fc4",
    "hope(address)"
  ],
  [
    "0xa4a78f0c",
    "selfPermitAllowedIfNecessary(address,uint256,uint256,uint8,bytes32,bytes32)"
  ],
  [
    "0xa5c4e74b",
    "approveRouter(address,bool,bool)"
  ],
  [
    "0xa9059cbb",
    "transfer(address,uint256)"
  ],
  [
    "0xa918058d",
    "increaseLPAllowance(address,uint256[],uint256[])"
  ],
  [
    "0xab3fdd50",
    "approveZeroThenMaxMinusOne(address)"
  ],
  [
    "0xb09f1fb1",
    "registerAllowedRfqOrigins(address[],bool)"
  ],
  [
    "0xb68f4004",
    "urnAllow(address,uint256)"
  ],
  [
    "0xb753a98c",
    "push(address,uint256)"
  ],
  [
    "0xb88d4fde",
    "safeTransferFrom(address,address,uint256,bytes)"
  ],
  [
    "0xb8caa7c5",
    "approvePositionManager(address,bool)"
  ],
  [
    "0xbb24d994",
    "allowBySig(address,address,bool,uint256,uint256,uint8,bytes32,bytes32)"
  ],
  [
    "0xbb35783b",
    "move(address,address,uint256)"
  ],
  [
    "0xbb9fe6bf",
    "unlockStake()"
  ],
  [
    "0xbc87acbf",
    "approveAllDelegatePowers(address)"
  ],
  [
    "0xbdf98116",
    "set_rewards_receiver(address)"
  ],
  [
    "0xbe45fd62",
    "transfer(address,uint256,bytes)"
  ],
  [
    "0xc04a8a10",
    "approveDelegation(address,uint256)"
  ],
  [
    "0xc14c11bf",
    "setOperator(bytes19,address,uint256)"
  ],
  [
    "0xc1d34b89",
    "transferFromAndCall(address,address,uint256,bytes)"
  ],
  [
    "0xc1ee2c18",
    "transferAssetFrom(address,address,address,uint256)"
  ],
  [
    "0xc23a5cea",
    "withdrawStake(address)"
  ],
  [
    "0xc2e3140a",
    "selfPermitIfNecessary(address,uint256,uint256,uint8,bytes32,bytes32)"
  ],
  [
    "0xc368516c",
    "enableController(address,address)"
  ],
  [
    "0xc3cda520",
    "delegateBySig(address,uint256,uint256,uint8,bytes32,bytes32)"
  ],
  [
    "0xc5b73ed0",
    "setBotPermissions(address,address,uint192)"
  ],
  [
    "0xcab372ce",
    "approveMaxMinusOne(address)"
  ],
  [
    "0xcae9ca51",
    "approveAndCall(address,uint256,bytes)"
  ],
  [
    "0xcef6d209",
    "redeemDelegations(bytes[],bytes32[],bytes[])"
  ],
  [
    "0xcf092995",
    "transferWithAuthorization(address,address,uint256,uint256,uint256,bytes32,bytes)"
  ],
  [
    "0xd4d9bdcd",
    "approveHash(bytes32)"
  ],
  [
    "0xd505accf",
    "permit(address,address,uint256,uint256,uint8,bytes32,bytes32)"
  ],
  [
    "0xd6491eaf",
    "setRemoveManagerWithReceiver(uint256,address,address)"
  ],
  [
    "0xd691c964",
    "executeFromExecutor(bytes32,bytes)"
  ],
  [
    "0xd73dd623",
    "increaseApproval(address,uint256)"
  ],
  [
    "0xd8fbe994",
    "transferFromAndCall(address,address,uint256)"
  ],
  [
    "0xdaea85c5",
    "approve(address)"
  ],
  [
    "0xdbed18e0",
    "handleAggregatedOps(((address,uint256,bytes,bytes,bytes32,uint256,bytes32,bytes,bytes)[],address,bytes)[],address)"
  ],
  [
    "0xdd289d60",
    "toggle_approve_mint(address)"
  ],
  [
    "0xddbf54fd",
    "updateDelegate(address,bool)"
  ],
  [
    "0xe3ee160e",
    "transferWithAuthorization(address,address,uint256,uint256,uint256,bytes32,uint8,bytes32,bytes32)"
  ],
  [
    "0xea7faa61",
    "registerAllowedOrderSigner(address,bool)"
  ],
  [
    "0xec6cb13f",
    "setPreSignature(bytes,bool)"
  ],
  [
    "0xedd9444b",
    "permitTransferFrom(((address,uint256)[],uint256,uint256),(address,uint256)[],address,bytes)"
  ],
  [
    "0xeea9064b",
    "delegateTo(address,(bytes,uint256),bytes32)"
  ],
  [
    "0xeecea000",
    "setAuthorization(address,bool)"
  ],
  [
    "0xef55bec6",
    "receiveWithAuthorization(address,address,uint256,uint256,uint256,bytes32,uint8,bytes32,bytes32)"
  ],
  [
    "0xef9aacfd",
    "signalTransfer(address)"
  ],
  [
    "0xf242432a",
    "safeTransferFrom(address,address,uint256,uint256,bytes)"
  ],
  [
    "0xf2fde38b",
    "transferOwnership(address)"
  ],
  [
    "0xf3995c67",
    "selfPermit(address,uint256,uint256,uint8,bytes32,bytes32)"
  ],
  [
    "0xf9f30db6",
    "move(uint256,address,uint256)"
  ],
  [
    "0xfa6e671d",
    "setRelayerApproval(address,address,bool)"
  ],
  [
    "0xfcafcc68",
    "give(uint256,address)"
  ],
  [
    "0xfe8ec1a7",
    "permitWitnessTransferFrom(((address,uint256)[],uint256,uint256),(address,uint256)[],address,bytes32,string,bytes)"
  ],
  [
    "0xfe99049a",
    "transferFrom(address,address,uint256,uint256)"
  ],
  [
    "0xfff59f09",
    "approveWithdraw(address,uint256,address,uint256)"
  ]
]);

/** Functions that open debt or may hide one that does, by selector: `contracts/debt-selectors.json`. */
export const debtSelectors: ReadonlyMap<string, string> = new Map([
  [
    "0x032d2276",
    "operate(uint256,int256,int256,address)"
  ],
  [
    "0x0931bf2d",
    "operatePerfect(uint256,int256,int256,int256,int256,address)"
  ],
  [
    "0x0ecbcdab",
    "borrow(uint256,uint256)"
  ],
  [
    "0x10259f26",
    "operate(uint256,int256,int256,int256,int256,address)"
  ],
  [
    "0x1184e5f8",
    "withdrawLUSD(uint256,uint256,address,address)"
  ],
  [
    "0x174dea71",
    "aggregate3Value((address,bool,uint256,bytes)[])"
  ],
  [
    "0x1a5b9e62",
    "borrowAtMaturity(uint256,uint256,uint256,address,address)"
  ],
  [
    "0x1cff79cd",
    "execute(address,bytes)"
  ],
  [
    "0x1f6a1eb9",
    "execute(bytes,bytes)"
  ],
  [
    "0x1f8b5215",
    "call(address,address,uint256,bytes)"
  ],
  [
    "0x227e1df4",
    "borrowOnBehalfOf(address,uint256,uint256,address)"
  ],
  [
    "0x23cfed03",
    "create_loan(uint256,uint256,uint256)"
  ],
  [
    "0x24977ef3",
    "borrow_more_extended(uint256,uint256,address,uint256[],bytes)"
  ],
  [
    "0x252dba42",
    "aggregate((address,bytes)[])"
  ],
  [
    "0x26441318",
    "withdrawFrom(address,address,address,uint256)"
  ],
  [
    "0x2b7c7b11",
    "increaseDebt(uint256)"
  ],
  [
    "0x2e59d86b",
    "leverUpTrove((uint256,uint256,uint256,uint256))"
  ],
  [
    "0x3003e089",
    "create_loan(uint256,uint256,uint256,address,address,bytes)"
  ],
  [
    "0x374f435d",
    "multicall((address,bytes,uint256,bool,bytes32)[])"
  ],
  [
    "0x399542e9",
    "tryBlockAndAggregate(bool,(address,bytes)[])"
  ],
  [
    "0x440f19ba",
    "draw(bytes32,uint256)"
  ],
  [
    "0x45e6bdcd",
    "frob(uint256,int256,int256)"
  ],
  [
    "0x4a32eaaf",
    "borrowNative(address,uint256,uint256)"
  ],
  [
    "0x4b3fd148",
    "borrow(uint256,address)"
  ],
  [
    "0x4b8a3529",
    "borrow(address,uint256)"
  ],
  [
    "0x4ba96d46",
    "create_loan_extended(uint256,uint256,uint256,address,uint256[],bytes)"
  ],
  [
    "0x4e1028ba",
    "execute((uint8,address,address,uint256,bool)[])"
  ],
  [
    "0x50d8cd4b",
    "borrow((address,address,address,address,uint256),uint256,uint256,address,address)"
  ],
  [
    "0x50ee7853",
    "borrow_more(uint256,uint256,address,address)"
  ],
  [
    "0x5288ba4b",
    "openCreditAccount(uint256,address,uint256,uint256)"
  ],
  [
    "0x555029a6",
    "invoke(bytes32[],bytes[])"
  ],
  [
    "0x58cc871e",
    "operate(uint256,int256,int256,int256,int256,int256,int256,address)"
  ],
  [
    "0x5d0c6930",
    "openLeveragePosition((address,uint256),bytes,(address,uint256,uint8))"
  ],
  [
    "0x60fc8466",
    "multicall((bool,bytes)[])"
  ],
  [
    "0x656f3d64",
    "cook(uint8[],uint256[],bytes[])"
  ],
  [
    "0x66514c97",
    "borrowETH(address,uint256,uint256,uint16)"
  ],
  [
    "0x6c665a55",
    "borrow(address,uint256,address)"
  ],
  [
    "0x6c8f225d",
    "openCreditAccount(uint256,address,uint16,uint16)"
  ],
  [
    "0x6cb224e1",
    "borrow_more(uint256,uint256,address,address,bytes)"
  ],
  [
    "0x7071b7c5",
    "openCreditAccountMulticall(uint256,address,(address,bytes)[],uint16)"
  ],
  [
    "0x76088703",
    "frob(bytes32,address,address,address,int256,int256)"
  ],
  [
    "0x7d5155fd",
    "borrowETH(uint256,uint256,uint16)"
  ],
  [
    "0x7e2ca9db",
    "botMulticall(address,(address,bytes)[])"
  ],
  [
    "0x7e348b7d",
    "enter(address,uint256)"
  ],
  [
    "0x7fe2c8b7",
    "borrowSameAsset(uint256,address,address)"
  ],
  [
    "0x82ad56cb",
    "aggregate3((address,bool,bytes)[])"
  ],
  [
    "0x84e5253c",
    "adjustTrove(uint256,uint256,bool,uint256,bool,uint256)"
  ],
  [
    "0x856e5bb3",
    "borrowBehalf(address,uint256)"
  ],
  [
    "0x860665b3",
    "openTrove(uint256,uint256,address,address)"
  ],
  [
    "0x870c616d",
    "fork(bytes32,address,address,int256,int256)"
  ],
  [
    "0x889576f7",
    "borrowShares(uint256,address,address)"
  ],
  [
    "0x89b7b7a6",
    "deferLiquidityCheck(address,bytes)"
  ],
  [
    "0x90de348a",
    "withdrawBold(uint256,uint256,uint256)"
  ],
  [
    "0x92beab1d",
    "openCreditAccount(address,(address,bytes)[],uint256)"
  ],
  [
    "0x96658147",
    "adjustTroveWithRawETH(uint256,uint256,bool,uint256,bool,uint256)"
  ],
  [
    "0x9cb90ba6",
    "openTrove(address,uint256,uint256,uint256,uint256,uint256,uint256,uint256,address,address,address)"
  ],
  [
    "0x9efc60d0",
    "increaseBorrowedAmount(uint256)"
  ],
  [
    "0x9fa02c86",
    "callAndReflect(address,bytes,bytes,bytes)"
  ],
  [
    "0xa053db68",
    "leveragedPosition(address,uint256,uint256,uint256,address[])"
  ],
  [
    "0xa107a9d8",
    "borrowSameAsset(address,uint256,address)"
  ],
  [
    "0xa415bcad",
    "borrow(address,uint256,uint256,uint16,address)"
  ],
  [
    "0xab9c4b5d",
    "flashLoan(address,address[],uint256[],uint256[],address,bytes,uint16)"
  ],
  [
    "0xadddfa94",
    "borrow_more(uint256,uint256,address)"
  ],
  [
    "0xaebde56b",
    "pullDebt(uint256,address)"
  ],
  [
    "0xb4115095",
    "create_loan(uint256,uint256,uint256,address,address)"
  ],
  [
    "0xb8f88786",
    "invoke(uint256[],bytes[])"
  ],
  [
    "0xb9b70ff5",
    "controlCollateral(address,address,uint256,bytes)"
  ],
  [
    "0xbbb6e4f1",
    "drawDebt(address,uint256,uint256,uint256[])"
  ],
  [
    "0xbc61ea23",
    "create_loan_extended(uint256,uint256,uint256,address,uint256[])"
  ],
  [
    "0xbce38bd7",
    "tryAggregate(bool,(address,bytes)[])"
  ],
  [
    "0xc16ae7a4",
    "batch((address,address,uint256,bytes)[])"
  ],
  [
    "0xc20b7949",
    "adjustZombieTroveWithRawETH(uint256,uint256,bool,uint256,bool,uint256,uint256,uint256)"
  ],
  [
    "0xc3077fa9",
    "blockAndAggregate((address,bytes)[])"
  ],
  [
    "0xc3b35a7e",
    "withdrawTo(address,address,uint256)"
  ],
  [
    "0xc440844f",
    "openTroveAndJoinInterestBatchManager((address,uint256,uint256,uint256,uint256,uint256,address,uint256,address,address,address))"
  ],
  [
    "0xc5ebeaec",
    "borrow(uint256)"
  ],
  [
    "0xc6a6cf20",
    "adjustTrove(uint256,uint256,uint256,bool,address,address)"
  ],
  [
    "0xcaa5c23f",
    "multicall((address,bytes)[])"
  ],
  [
    "0xcc31808e",
    "operatePerfect(uint256,int256,int256,int256,int256,int256,int256,address)"
  ],
  [
    "0xcfa8ff03",
    "drawDebt(address,uint256,uint256,uint256)"
  ],
  [
    "0xd2423b51",
    "batch(bytes[],bool)"
  ],
  [
    "0xd5164184",
    "borrow(uint256,address,address)"
  ],
  [
    "0xd5eed868",
    "borrow(bytes32)"
  ],
  [
    "0xd6bda0c0",
    "borrow(uint256,uint256,address)"
  ],
  [
    "0xdbc5b481",
    "borrowFor(address,address,address,uint256)"
  ],
  [
    "0xdcfbd293",
    "adjustZombieTrove(uint256,uint256,bool,uint256,bool,uint256,uint256,uint256)"
  ],
  [
    "0xdd171e7c",
    "borrow_more(uint256,uint256)"
  ],
  [
    "0xe50322a2",
    "shift(uint256,uint256)"
  ],
  [
    "0xe5f13b16",
    "borrowAsset(uint256,uint256,address)"
  ],
  [
    "0xe74f7b85",
    "borrowETH(address,uint256,uint16)"
  ],
  [
    "0xeb937aeb",
    "batchDispatch((bool,address,bytes)[],address[])"
  ],
  [
    "0xebe4107c",
    "multicall(address,(address,bytes)[])"
  ],
  [
    "0xee8b3809",
    "openLeveragePositionPermit((address,uint256),bytes,(address,uint256,uint8),(uint256,uint256,uint8,bytes32,bytes32))"
  ],
  [
    "0xf7a283d5",
    "borrowAtMaturity(uint256,uint256,uint256)"
  ],
  [
    "0xf926c2d2",
    "openTroveWithRawETH((address,uint256,uint256,uint256,uint256,uint256,uint256,address,uint256,address,address,address))"
  ],
  [
    "0xfacb886f",
    "openLeveragedTroveWithRawETH((address,uint256,uint256,uint256,uint256,uint256,uint256,uint256,address,uint256,address,address,address))"
  ],
  [
    "0xfadc9bfb",
    "create_loan(uint256,uint256,uint256,address)"
  ]
]);

/** Those of `debtSelectors` that run other calls, which no list sees: `contracts/executor-selectors.json`. No valuer makes them harmless. */
export const executorSelectors: ReadonlyMap<string, string> = new Map([
  [
    "0x174dea71",
    "aggregate3Value((address,bool,uint256,bytes)[])"
  ],
  [
    "0x1cff79cd",
    "execute(address,bytes)"
  ],
  [
    "0x1f6a1eb9",
    "execute(bytes,bytes)"
  ],
  [
    "0x1f8b5215",
    "call(address,address,uint256,bytes)"
  ],
  [
    "0x252dba42",
    "aggregate((address,bytes)[])"
  ],
  [
    "0x374f435d",
    "multicall((address,bytes,uint256,bool,bytes32)[])"
  ],
  [
    "0x399542e9",
    "tryBlockAndAggregate(bool,(address,bytes)[])"
  ],
  [
    "0x4e1028ba",
    "execute((uint8,address,address,uint256,bool)[])"
  ],
  [
    "0x555029a6",
    "invoke(bytes32[],bytes[])"
  ],
  [
    "0x60fc8466",
    "multicall((bool,bytes)[])"
  ],
  [
    "0x656f3d64",
    "cook(uint8[],uint256[],bytes[])"
  ],
  [
    "0x7071b7c5",
    "openCreditAccountMulticall(uint256,address,(address,bytes)[],uint16)"
  ],
  [
    "0x7e2ca9db",
    "botMulticall(address,(address,bytes)[])"
  ],
  [
    "0x82ad56cb",
    "aggregate3((address,bool,bytes)[])"
  ],
  [
    "0x89b7b7a6",
    "deferLiquidityCheck(address,bytes)"
  ],
  [
    "0x92beab1d",
    "openCreditAccount(address,(address,bytes)[],uint256)"
  ],
  [
    "0x9fa02c86",
    "callAndReflect(address,bytes,bytes,bytes)"
  ],
  [
    "0xb8f88786",
    "invoke(uint256[],bytes[])"
  ],
  [
    "0xb9b70ff5",
    "controlCollateral(address,address,uint256,bytes)"
  ],
  [
    "0xbce38bd7",
    "tryAggregate(bool,(address,bytes)[])"
  ],
  [
    "0xc16ae7a4",
    "batch((address,address,uint256,bytes)[])"
  ],
  [
    "0xc3077fa9",
    "blockAndAggregate((address,bytes)[])"
  ],
  [
    "0xcaa5c23f",
    "multicall((address,bytes)[])"
  ],
  [
    "0xd2423b51",
    "batch(bytes[],bool)"
  ],
  [
    "0xeb937aeb",
    "batchDispatch((bool,address,bytes)[],address[])"
  ],
  [
    "0xebe4107c",
    "multicall(address,(address,bytes)[])"
  ]
]);
