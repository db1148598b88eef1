import process from "node:process";

/** Whether somebody sits there who can be asked. Questions go to standard error: the answer of a command may go into a file. */
export function hasTerminal(): boolean {
  return process.stdin.isTTY === true && process.stderr.isTTY === true;
}

/** Asks at the terminal; an answer is asked for again until `check` takes it. */
export type Ask = <Answer>(question: string, check: (text: string) => Answer) => Promise<Answer>;

/** Opens the terminal for questions. */
export async function askAtTerminal<Result>(
  questions: (ask: Ask) => Promise<Result>,
  onEnd: () => Error,
): Promise<Result> {
  const { createInterface } = await import("node:readline");
  const terminal = createInterface({ input: process.stdin, output: process.stderr });
  // Lines are kept: answers may be typed, or pasted all at once.
  const lines = terminal[Symbol.asyncIterator]();
  const ask: Ask = async (question, check) => {
    for (;;) {
      terminal.setPrompt(`${question} `);
      terminal.prompt();
      const { value, done } = await lines.next();
      if (done === true) throw onEnd();
      try {
        return check(value.trim());
      } catch (error) {
        if (!(error instanceof Error)) throw error;
        process.stderr.write(`${error.message}\n`);
      }
    }
  };
  try {
    return await questions(ask);
  } finally {
    terminal.close();
  }
}
