import { z } from "zod";
import { configSchema } from "../../sdk/ingestion/owner/config.ts";
import { policyFileSchema } from "../../sdk/policy/author/file-schema.ts";
import { write } from "./files.ts";

/** JSON Schemas of policy files and of the configuration of ingestion, for editors. */
export function generateSchema(): void {
  const schemas = {
    "sdk/policy/generated/policy.schema.json": policyFileSchema,
    "sdk/ingestion/generated/ingestion.schema.json": configSchema,
  };
  for (const [path, schema] of Object.entries(schemas)) {
    write(path, `${JSON.stringify(z.toJSONSchema(schema, { io: "input" }), null, 2)}\n`);
  }
}
