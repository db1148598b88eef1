// Sends a gateway the load of its benchmark, and fails where a request fails, something leaks or memory grows: part of `npm run test:deep`.

import process from "node:process";
import { standsLoad } from "./bench/gateway.ts";

process.exitCode = (await standsLoad()) ? 0 : 1;
