// Loaded into a command before it runs: it believes that it is as many milliseconds later as the variable says, so that days that pass in a
// session need not pass.

import process from "node:process";

const { now } = Date;
const later = Number(process.env.SESSION_LATER_MS);
Date.now = () => now() + later;
