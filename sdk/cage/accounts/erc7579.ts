import { parseAbi } from "viem";

/** How OpenZeppelin's `AccountERC7579Hooked` 5.7 tells its hook: https://docs.openzeppelin.com/contracts/5.x/api/account */
export const hookedAccountAbi = parseAbi(["function hook() view returns (address)"]);
