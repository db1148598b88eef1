import { connect, type RpcOptions } from "../connect/connection.ts";

/** Time of the chain's newest block, in seconds: what the cage goes by. */
export async function timeOf(options: RpcOptions): Promise<bigint> {
  const { timestamp } = await (await connect(options)).getBlock();

  return timestamp;
}
