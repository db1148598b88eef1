// Written by `npm run generate`, from @uniswap/sdk-core 7.19.4 and @uniswap/swap-router-contracts 1.3.1.

/** Uniswap's SwapRouter02, the factory of its V3 pools, and the wrapped native token. */
export const uniswapV3 = {
  "functions": [
    "exactInputSingle((address,address,uint24,address,uint256,uint256,uint160))",
    "exactInput((bytes,address,uint256,uint256))",
    "exactOutputSingle((address,address,uint24,address,uint256,uint256,uint160))",
    "exactOutput((bytes,address,uint256,uint256))",
    "unwrapWETH9(uint256,address)",
    "refundETH()"
  ],
  "chains": {
    "ethereum": {
      "chainId": 1,
      "router": "0x68b3465833fb72A70ecDF485E0e4C7bD8665Fc45",
      "factory": "0x1F98431c8aD98523631AE4a59f267346ea31F984",
      "wrappedNative": "0xC02aaA39b223FE8D0A0e5C4F27eAD9083C756Cc2"
    },
    "optimism": {
      "chainId": 10,
      "router": "0x68b3465833fb72A70ecDF485E0e4C7bD8665Fc45",
      "factory": "0x1F98431c8aD98523631AE4a59f267346ea31F984",
      "wrappedNative": "0x4200000000000000000000000000000000000006"
    },
    "base": {
      "chainId": 8453,
      "router": "0x2626664c2603336E57B271c5C0b26F421741e481",
      "factory": "0x33128a8fC17869897dcE68Ed026d694621f6FDfD",
      "wrappedNative": "0x4200000000000000000000000000000000000006"
    },
    "arbitrum": {
      "chainId": 42161,
      "router": "0x68b3465833fb72A70ecDF485E0e4C7bD8665Fc45",
      "factory": "0x1F98431c8aD98523631AE4a59f267346ea31F984",
      "wrappedNative": "0x82aF49447D8a07e3bd95BD0d56f35241523fBab1"
    }
  }
} as const;
