// Every gate of the project, two at a time; each counts as a test beside the tests it runs. The last line printed is "N passed, N failed".

import { conclude, runGates } from "./gates/gate.ts";
import { gates } from "./gates/list.ts";

conclude(await runGates(gates));
