// Written by `npm run generate`, from @aave-dao/aave-address-book 4.68.1.

/** Aave's main V3 markets: the pool, who knows it, what may be supplied, and the token that is the receipt. */
export const aaveV3 = {
  "functions": [
    "supply(address,uint256,address,uint16)",
    "withdraw(address,uint256,address)"
  ],
  "chains": {
    "ethereum": {
      "chainId": 1,
      "pool": "0x87870Bca3F3fD6335C3F4ce8392D69350B4fA4E2",
      "addressesProvider": "0x2f39d218133AFaB8F2B819B1066c7E434Ad94E9e",
      "dataProvider": "0x0a16f2FCC0D44FaE41cc54e079281D84A363bECD",
      "assets": {
        "WETH": {
          "underlying": "0xC02aaA39b223FE8D0A0e5C4F27eAD9083C756Cc2",
          "receipt": "0x4d5F47FA6A74757f35C14fD3a6Ef8E3C9BC514E8"
        },
        "wstETH": {
          "underlying": "0x7f39C581F595B53c5cb19bD0b3f8dA6c935E2Ca0",
          "receipt": "0x0B925eD163218f6662a35e0f0371Ac234f9E9371"
        },
        "WBTC": {
          "underlying": "0x2260FAC5E5542a773Aa44fBCfeDf7C193bc2C599",
          "receipt": "0x5Ee5bf7ae06D1Be5997A1A72006FE6C607eC6DE8"
        },
        "USDC": {
          "underlying": "0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48",
          "receipt": "0x98C23E9d8f34FEFb1B7BD6a91B7FF122F4e16F5c"
        },
        "DAI": {
          "underlying": "0x6B175474E89094C44Da98b954EedeAC495271d0F",
          "receipt": "0x018008bfb33d285247A21d44E50697654f754e63"
        },
        "LINK": {
          "underlying": "0x514910771AF9Ca656af840dff83E8264EcF986CA",
          "receipt": "0x5E8C8A7243651DB1384C0dDfDbE39761E8e7E51a"
        },
        "AAVE": {
          "underlying": "0x7Fc66500c84A76Ad7e9c93437bFc5Ac33E2DDaE9",
          "receipt": "0xA700b4eB416Be35b2911fd5Dee80678ff64fF6C9"
        },
        "cbETH": {
          "underlying": "0xBe9895146f7AF43049ca1c1AE358B0541Ea49704",
          "receipt": "0x977b6fc5dE62598B08C85AC8Cf2b745874E8b78c"
        },
        "USDT": {
          "underlying": "0xdAC17F958D2ee523a2206206994597C13D831ec7",
          "receipt": "0x23878914EFE38d27C4D67Ab83ed1b93A74D4086a"
        },
        "rETH": {
          "underlying": "0xae78736Cd615f374D3085123A210448E74Fc6393",
          "receipt": "0xCc9EE9483f662091a1de4795249E24aC0aC2630f"
        },
        "LUSD": {
          "underlying": "0x5f98805A4E8be255a32880FDeC7F6728C6568bA0",
          "receipt": "0x3Fe6a295459FAe07DF8A0ceCC36F37160FE86AA9"
        },
        "CRV": {
          "underlying": "0xD533a949740bb3306d119CC777fa900bA034cd52",
          "receipt": "0x7B95Ec873268a6BFC6427e7a28e396Db9D0ebc65"
        },
        "MKR": {
          "underlying": "0x9f8F72aA9304c8B593d555F12eF6589cC3A579A2",
          "receipt": "0x8A458A9dc9048e005d22849F470891b840296619"
        },
        "SNX": {
          "underlying": "0xC011a73ee8576Fb46F5E1c5751cA3B9Fe0af2a6F",
          "receipt": "0xC7B4c17861357B8ABB91F25581E7263E08DCB59c"
        },
        "BAL": {
          "underlying": "0xba100000625a3754423978a60c9317c58a424e3D",
          "receipt": "0x2516E7B3F76294e03C42AA4c5b5b4DCE9C436fB8"
        },
        "UNI": {
          "underlying": "0x1f9840a85d5aF5bf1D1762F925BDADdC4201F984",
          "receipt": "0xF6D2224916DDFbbab6e6bd0D1B7034f4Ae0CaB18"
        },
        "LDO": {
          "underlying": "0x5A98FcBEA516Cf06857215779Fd812CA3beF1B32",
          "receipt": "0x9A44fd41566876A39655f74971a3A6eA0a17a454"
        },
        "ENS": {
          "underlying": "0xC18360217D8F7Ab5e7c516566761Ea12Ce7F9D72",
          "receipt": "0x545bD6c032eFdde65A377A6719DEF2796C8E0f2e"
        },
        "ONE_INCH": {
          "underlying": "0x111111111117dC0aa78b770fA6A738034120C302",
          "receipt": "0x71Aef7b30728b9BB371578f36c5A1f1502a5723e"
        },
        "FRAX": {
          "underlying": "0x853d955aCEf822Db058eb8505911ED77F175b99e",
          "receipt": "0xd4e245848d6E1220DBE62e155d89fa327E43CB06"
        },
        "GHO": {
          "underlying": "0x40D16FC0246aD3160Ccc09B8D0D3A2cD28aE6C2f",
          "receipt": "0x00907f9921424583e7ffBfEdf84F92B7B2Be4977"
        },
        "RPL": {
          "underlying": "0xD33526068D116cE69F19A9ee46F0bd304F21A51f",
          "receipt": "0xB76CF92076adBF1D9C39294FA8e7A67579FDe357"
        },
        "sDAI": {
          "underlying": "0x83F20F44975D03b1b09e64809B757c47f942BEeA",
          "receipt": "0x4C612E3B15b96Ff9A6faED838F8d07d479a8dD4c"
        },
        "STG": {
          "underlying": "0xAf5191B0De278C7286d6C7CC6ab6BB8A73bA2Cd6",
          "receipt": "0x1bA9843bD4327c6c77011406dE5fA8749F7E3479"
        },
        "KNC": {
          "underlying": "0xdeFA4e8a7bcBA345F687a2f1456F5Edd9CE97202",
          "receipt": "0x5b502e3796385E1e9755d7043B9C945C3aCCeC9C"
        },
        "FXS": {
          "underlying": "0x3432B6A60D23Ca0dFCa7761B7ab56459D9C964D0",
          "receipt": "0x82F9c5ad306BBa1AD0De49bB5FA6F01bf61085ef"
        },
        "crvUSD": {
          "underlying": "0xf939E0A03FB07F59A73314E73794Be0E57ac1b4E",
          "receipt": "0xb82fa9f31612989525992FCfBB09AB22Eff5c85A"
        },
        "PYUSD": {
          "underlying": "0x6c3ea9036406852006290770BEdFcAbA0e23A0e8",
          "receipt": "0x0C0d01AbF3e6aDfcA0989eBbA9d6e85dD58EaB1E"
        },
        "weETH": {
          "underlying": "0xCd5fE23C85820F7B72D0926FC9b05b43E359b7ee",
          "receipt": "0xBdfa7b7893081B35Fb54027489e2Bc7A38275129"
        },
        "osETH": {
          "underlying": "0xf1C9acDc66974dFB6dEcB12aA385b9cD01190E38",
          "receipt": "0x927709711794F3De5DdBF1D176bEE2D55Ba13c21"
        },
        "USDe": {
          "underlying": "0x4c9EDD5852cd905f086C759E8383e09bff1E68B3",
          "receipt": "0x4F5923Fc5FD4a93352581b38B7cD26943012DECF"
        },
        "ETHx": {
          "underlying": "0xA35b1B31Ce002FBF2058D22F30f95D405200A15b",
          "receipt": "0x1c0E06a0b1A4c160c17545FF2A951bfcA57C0002"
        },
        "sUSDe": {
          "underlying": "0x9D39A5DE30e57443BfF2A8307A4256c8797A3497",
          "receipt": "0x4579a27aF00A62C0EB156349f31B345c08386419"
        },
        "tBTC": {
          "underlying": "0x18084fbA666a33d37592fA2633fD49a74DD93a88",
          "receipt": "0x10Ac93971cdb1F5c778144084242374473c350Da"
        },
        "cbBTC": {
          "underlying": "0xcbB7C0000aB88B473b1f5aFd9ef808440eed33Bf",
          "receipt": "0x5c647cE0Ae10658ec44FA4E11A51c96e94efd1Dd"
        },
        "USDS": {
          "underlying": "0xdC035D45d973E3EC169d2276DDab16f1e407384F",
          "receipt": "0x32a6268f9Ba3642Dda7892aDd74f1D34469A4259"
        },
        "rsETH": {
          "underlying": "0xA1290d69c65A6Fe4DF752f95823fae25cB99e5A7",
          "receipt": "0x2D62109243b87C4bA3EE7bA1D91B0dD0A074d7b1"
        },
        "LBTC": {
          "underlying": "0x8236a87084f8B84306f72007F36F2618A5634494",
          "receipt": "0x65906988ADEe75306021C417a1A3458040239602"
        },
        "eBTC": {
          "underlying": "0x657e8C867D8B37dCC18fA4Caead9C45EB088C642",
          "receipt": "0x5fefd7069a7D91d01f269DADE14526CCF3487810"
        },
        "RLUSD": {
          "underlying": "0x8292Bb45bf1Ee4d140127049757C2E0fF06317eD",
          "receipt": "0xFa82580c16A31D0c1bC632A36F82e83EfEF3Eec0"
        },
        "USDtb": {
          "underlying": "0xC139190F447e929f090Edeb554D95AbB8b18aC1C",
          "receipt": "0xEc4ef66D4fCeEba34aBB4dE69dB391Bc5476ccc8"
        },
        "eUSDe": {
          "underlying": "0x90D2af7d622ca3141efA4d8f1F24d86E5974Cc8F",
          "receipt": "0x5F9190496e0DFC831C3bd307978de4a245E2F5cD"
        },
        "FBTC": {
          "underlying": "0xC96dE26018A54D51c097160568752c4E3BD6C364",
          "receipt": "0xcCA43ceF272c30415866914351fdfc3E881bb7c2"
        },
        "EURC": {
          "underlying": "0x1aBaEA1f7C830bD89Acc67eC4af516284b1bC33c",
          "receipt": "0xAA6e91C82942aeAE040303Bf96c15a6dBcB82CA0"
        },
        "tETH": {
          "underlying": "0xD11c452fc99cF405034ee446803b6F6c1F6d5ED8",
          "receipt": "0x481a2acf3A72ffDc602A9541896Ca1DB87f86cf7"
        },
        "ezETH": {
          "underlying": "0xbf5495Efe5DB9ce00f80364C8B423567e58d2110",
          "receipt": "0x4E2a4d9B3DF7Aae73b418Bd39F3af9e148E3F479"
        },
        "XAUt": {
          "underlying": "0x68749665FF8D2d112Fa859AA293F07A622782F38",
          "receipt": "0x8A2b6f94Ff3A89a03E8c02Ee92b55aF90c9454A2"
        },
        "mUSD": {
          "underlying": "0xacA92E438df0B2401fF60dA7E4337B687a2435DA",
          "receipt": "0xAa0200d169fF3ba9385c12E073c5d1d30434AE7b"
        },
        "syrupUSDT": {
          "underlying": "0x356B8d89c1e1239Cbbb9dE4815c39A1474d5BA7D",
          "receipt": "0x24Ab03a9a5Bc2C49E5523e8d915A3536ac38B91D"
        },
        "USDG": {
          "underlying": "0xe343167631d89B6Ffc58B88d6b7fB0228795491D",
          "receipt": "0x7c0477d085ECb607CF8429f3eC91Ae5E1e460F4F"
        },
        "BTCb": {
          "underlying": "0xB0F70C0bD6FD87dbEb7C10dC692a2a6106817072",
          "receipt": "0x12b70410D60f926558245f769059eA3Fc7A7353E"
        }
      }
    },
    "optimism": {
      "chainId": 10,
      "pool": "0x794a61358D6845594F94dc1DB02A252b5b4814aD",
      "addressesProvider": "0xa97684ead0e402dC232d5A977953DF7ECBaB3CDb",
      "dataProvider": "0x243Aa95cAC2a25651eda86e80bEe66114413c43b",
      "assets": {
        "DAI": {
          "underlying": "0xDA10009cBd5D07dd0CeCc66161FC93D7c9000da1",
          "receipt": "0x82E64f49Ed5EC1bC6e43DAD4FC8Af9bb3A2312EE"
        },
        "LINK": {
          "underlying": "0x350a791Bfc2C21F9Ed5d10980Dad2e2638ffa7f6",
          "receipt": "0x191c10Aa4AF7C30e871E70C95dB0E4eb77237530"
        },
        "USDC.e": {
          "underlying": "0x7F5c764cBc14f9669B88837ca1490cCa17c31607",
          "receipt": "0x625E7708f30cA75bfd92586e17077590C60eb4cD"
        },
        "WBTC": {
          "underlying": "0x68f180fcCe6836688e9084f035309E29Bf0A2095",
          "receipt": "0x078f358208685046a11C85e8ad32895DED33A249"
        },
        "WETH": {
          "underlying": "0x4200000000000000000000000000000000000006",
          "receipt": "0xe50fA9b3c56FfB159cB0FCA61F5c9D750e8128c8"
        },
        "USDT": {
          "underlying": "0x94b008aA00579c1307B0EF2c499aD98a8ce58e58",
          "receipt": "0x6ab707Aca953eDAeFBc4fD23bA73294241490620"
        },
        "AAVE": {
          "underlying": "0x76FB31fb4af56892A25e32cFC43De717950c9278",
          "receipt": "0xf329e36C7bF6E5E86ce2150875a84Ce77f477375"
        },
        "sUSD": {
          "underlying": "0x8c6f28f2F1A3C87F0f938b96d27520d9751ec8d9",
          "receipt": "0x6d80113e533a2C0fe82EaBD35f1875DcEA89Ea97"
        },
        "OP": {
          "underlying": "0x4200000000000000000000000000000000000042",
          "receipt": "0x513c7E3a9c69cA3e22550eF58AC1C0088e918FFf"
        },
        "wstETH": {
          "underlying": "0x1F32b1c2345538c0c6f582fCB022739c4A194Ebb",
          "receipt": "0xc45A479877e1e9Dfe9FcD4056c699575a1045dAA"
        },
        "LUSD": {
          "underlying": "0xc40F949F8a4e094D1b49a23ea9241D289B7b2819",
          "receipt": "0x8Eb270e296023E9D92081fdF967dDd7878724424"
        },
        "MAI": {
          "underlying": "0xdFA46478F9e5EA86d57387849598dbFB2e964b02",
          "receipt": "0x8ffDf2DE812095b1D19CB146E4c004587C0A0692"
        },
        "rETH": {
          "underlying": "0x9Bcef72be871e61ED4fBbc7630889beE758eb81D",
          "receipt": "0x724dc807b04555b71ed48a6896b6F41593b8C637"
        },
        "USDC": {
          "underlying": "0x0b2C639c533813f4Aa9D7837CAf62653d097Ff85",
          "receipt": "0x38d693cE1dF5AaDF7bC62595A37D667aD57922e5"
        }
      }
    },
    "base": {
      "chainId": 8453,
      "pool": "0xA238Dd80C259a72e81d7e4664a9801593F98d1c5",
      "addressesProvider": "0xe20fCBdBfFC4Dd138cE8b2E6FBb6CB49777ad64D",
      "dataProvider": "0x0F43731EB8d45A581f4a36DD74F5f358bc90C73A",
      "assets": {
        "WETH": {
          "underlying": "0x4200000000000000000000000000000000000006",
          "receipt": "0xD4a0e0b9149BCee3C920d2E00b5dE09138fd8bb7"
        },
        "cbETH": {
          "underlying": "0x2Ae3F1Ec7F1F5012CFEab0185bfc7aa3cf0DEc22",
          "receipt": "0xcf3D55c10DB69f28fD1A75Bd73f3D8A2d9c595ad"
        },
        "USDbC": {
          "underlying": "0xd9aAEc86B65D86f6A7B5B1b0c42FFA531710b6CA",
          "receipt": "0x0a1d576f3eFeF75b330424287a95A366e8281D54"
        },
        "wstETH": {
          "underlying": "0xc1CBa3fCea344f92D9239c08C0568f6F2F0ee452",
          "receipt": "0x99CBC45ea5bb7eF3a5BC08FB1B7E56bB2442Ef0D"
        },
        "USDC": {
          "underlying": "0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913",
          "receipt": "0x4e65fE4DbA92790696d040ac24Aa414708F5c0AB"
        },
        "weETH": {
          "underlying": "0x04C0599Ae5A44757c0af6F9eC3b93da8976c150A",
          "receipt": "0x7C307e128efA31F540F2E2d976C995E0B65F51F6"
        },
        "cbBTC": {
          "underlying": "0xcbB7C0000aB88B473b1f5aFd9ef808440eed33Bf",
          "receipt": "0xBdb9300b7CDE636d9cD4AFF00f6F009fFBBc8EE6"
        },
        "ezETH": {
          "underlying": "0x2416092f143378750bb29b79eD961ab195CcEea5",
          "receipt": "0xDD5745756C2de109183c6B5bB886F9207bEF114D"
        },
        "GHO": {
          "underlying": "0x6Bb7a212910682DCFdbd5BCBb3e28FB4E8da10Ee",
          "receipt": "0x067ae75628177FD257c2B1e500993e1a0baBcBd1"
        },
        "wrsETH": {
          "underlying": "0xEDfa23602D0EC14714057867A78d01e94176BEA0",
          "receipt": "0x80a94C36747CF51b2FbabDfF045f6D22c1930eD1"
        },
        "LBTC": {
          "underlying": "0xecAc9C5F704e954931349Da37F60E39f515c11c1",
          "receipt": "0x90072A4aA69B5Eb74984Ab823EFC5f91e90b3a72"
        },
        "EURC": {
          "underlying": "0x60a3E35Cc302bFA44Cb288Bc5a4F316Fdb1adb42",
          "receipt": "0x90DA57E0A6C0d166Bf15764E03b83745Dc90025B"
        },
        "AAVE": {
          "underlying": "0x63706e401c06ac8513145b7687A14804d17f814b",
          "receipt": "0x67EAF2BeE4384a2f84Da9Eb8105C661C123736BA"
        },
        "tBTC": {
          "underlying": "0x236aa50979D5f3De3Bd1Eeb40E81137F22ab794b",
          "receipt": "0xbcFFB4B3beADc989Bd1458740952aF6EC8fBE431"
        },
        "syrupUSDC": {
          "underlying": "0x660975730059246A68521a3e2FBD4740173100f5",
          "receipt": "0xD7424238CcbE7b7198Ab3cFE232e0271E22da7bd"
        }
      }
    },
    "arbitrum": {
      "chainId": 42161,
      "pool": "0x794a61358D6845594F94dc1DB02A252b5b4814aD",
      "addressesProvider": "0xa97684ead0e402dC232d5A977953DF7ECBaB3CDb",
      "dataProvider": "0x243Aa95cAC2a25651eda86e80bEe66114413c43b",
      "assets": {
        "DAI": {
          "underlying": "0xDA10009cBd5D07dd0CeCc66161FC93D7c9000da1",
          "receipt": "0x82E64f49Ed5EC1bC6e43DAD4FC8Af9bb3A2312EE"
        },
        "LINK": {
          "underlying": "0xf97f4df75117a78c1A5a0DBb814Af92458539FB4",
          "receipt": "0x191c10Aa4AF7C30e871E70C95dB0E4eb77237530"
        },
        "USDC.e": {
          "underlying": "0xFF970A61A04b1cA14834A43f5dE4533eBDDB5CC8",
          "receipt": "0x625E7708f30cA75bfd92586e17077590C60eb4cD"
        },
        "WBTC": {
          "underlying": "0x2f2a2543B76A4166549F7aaB2e75Bef0aefC5B0f",
          "receipt": "0x078f358208685046a11C85e8ad32895DED33A249"
        },
        "WETH": {
          "underlying": "0x82aF49447D8a07e3bd95BD0d56f35241523fBab1",
          "receipt": "0xe50fA9b3c56FfB159cB0FCA61F5c9D750e8128c8"
        },
        "USDT": {
          "underlying": "0xFd086bC7CD5C481DCC9C85ebE478A1C0b69FCbb9",
          "receipt": "0x6ab707Aca953eDAeFBc4fD23bA73294241490620"
        },
        "AAVE": {
          "underlying": "0xba5DdD1f9d7F570dc94a51479a000E3BCE967196",
          "receipt": "0xf329e36C7bF6E5E86ce2150875a84Ce77f477375"
        },
        "EURS": {
          "underlying": "0xD22a58f79e9481D1a88e00c343885A588b34b68B",
          "receipt": "0x6d80113e533a2C0fe82EaBD35f1875DcEA89Ea97"
        },
        "wstETH": {
          "underlying": "0x5979D7b546E38E414F7E9822514be443A4800529",
          "receipt": "0x513c7E3a9c69cA3e22550eF58AC1C0088e918FFf"
        },
        "MAI": {
          "underlying": "0x3F56e0c36d275367b8C502090EDF38289b3dEa0d",
          "receipt": "0xc45A479877e1e9Dfe9FcD4056c699575a1045dAA"
        },
        "rETH": {
          "underlying": "0xEC70Dcb4A1EFa46b8F2D97C310C9c4790ba5ffA8",
          "receipt": "0x8Eb270e296023E9D92081fdF967dDd7878724424"
        },
        "LUSD": {
          "underlying": "0x93b346b6BC2548dA6A1E7d98E9a421B42541425b",
          "receipt": "0x8ffDf2DE812095b1D19CB146E4c004587C0A0692"
        },
        "USDC": {
          "underlying": "0xaf88d065e77c8cC2239327C5EDb3A432268e5831",
          "receipt": "0x724dc807b04555b71ed48a6896b6F41593b8C637"
        },
        "FRAX": {
          "underlying": "0x17FC002b466eEc40DaE837Fc4bE5c67993ddBd6F",
          "receipt": "0x38d693cE1dF5AaDF7bC62595A37D667aD57922e5"
        },
        "ARB": {
          "underlying": "0x912CE59144191C1204E64559FE8253a0e49E6548",
          "receipt": "0x6533afac2E7BCCB20dca161449A13A32D391fb00"
        },
        "weETH": {
          "underlying": "0x35751007a407ca6FEFfE80b3cB397736D2cf4dbe",
          "receipt": "0x8437d7C167dFB82ED4Cb79CD44B7a32A1dd95c77"
        },
        "GHO": {
          "underlying": "0x7dfF72693f6A4149b17e7C6314655f6A9F7c8B33",
          "receipt": "0xeBe517846d0F36eCEd99C735cbF6131e1fEB775D"
        },
        "ezETH": {
          "underlying": "0x2416092f143378750bb29b79eD961ab195CcEea5",
          "receipt": "0xEA1132120ddcDDA2F119e99Fa7A27a0d036F7Ac9"
        },
        "rsETH": {
          "underlying": "0x4186BFC76E2E237523CBC30FD220FE055156b41F",
          "receipt": "0x6b030Ff3FB9956B1B69f475B77aE0d3Cf2CC5aFa"
        },
        "tBTC": {
          "underlying": "0x6c84a8f1c29108F47a79964b5Fe888D4f4D0dE40",
          "receipt": "0x62fC96b27a510cF4977B59FF952Dc32378Cc221d"
        }
      }
    }
  }
} as const;
