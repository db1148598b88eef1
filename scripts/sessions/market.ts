import { type Abi, type Account, type Address, encodeFunctionData, type PublicClient, type WalletClient } from "viem";
import { marketCode } from "../../deploy/generated/market-code.ts";
import { deployMarket, market } from "../../deploy/market.ts";
import { sendCall } from "../../sdk/index.ts";

const USD_PER_WETH = 2_000n;

/** The local market, and what people and golems do there. */
export async function recordMarket(reader: PublicClient, wallet: WalletClient & { account: Account }) {
  await deployMarket({ reader, wallet, account: wallet.account });

  function encode(mock: keyof typeof marketCode, functionName: string, args: unknown[] = []) {
    const { abi }: { abi: Abi } = marketCode[mock];

    return encodeFunctionData({ abi, functionName, args });
  }

  return {
    /** Gives `account` USDC and WETH. */
    async fund(account: Address, usdcAmount: bigint, wethAmount: bigint): Promise<void> {
      const clients = { reader, wallet };
      await sendCall(clients, { to: market.usdc, data: encode("MockERC20", "mint", [account, usdcAmount]), value: 0n });
      await sendCall(clients, { to: market.weth, data: encode("MockWETH", "deposit"), value: wethAmount });
      await sendCall(clients, {
        to: market.weth,
        data: encode("MockWETH", "transfer", [account, wethAmount]),
        value: 0n,
      });
    },
    /** A trade that spends `amount` of USDC and gets WETH worth `worth` of USDC. */
    buy(account: Address, amount: bigint, worth = amount) {
      const weth = (worth * 10n ** 12n) / USD_PER_WETH;

      return {
        protocol: market.exchange,
        value: 0n,
        data: encode("MockExchange", "swap", [market.usdc, amount, market.weth, weth, account]),
        inputs: [{ asset: market.usdc, maxAmount: amount }],
        outputs: [market.weth],
      };
    },
  };
}
