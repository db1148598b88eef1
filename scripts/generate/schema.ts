import { z } from "zod";
import { policyFileSchema } from "../../sdk/policy/author/file-schema.ts";
import { write } from "./files.ts";

/** JSON Schema of policy files, for editors. */
export function generateSchema(): void {
  const schema = z.toJSONSchema(policyFileSchema, { io: "input" });
  write("sdk/policy/generated/policy.schema.json", `${JSON.stringify(schema, null, 2)}\n`);
}
