import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';

/** Where a command writes: data to stdout, progress and messages to stderr. */
export interface Output {
  /** A line of data. */
  readonly data: (line: string) => void;
  /** Data that is no text. Resolves when all of it is written, or nobody reads it any more. Absent: only lines are taken. */
  readonly bytes?: (body: Readable) => Promise<void>;
  /** A line for people. */
  readonly say: (line: string) => void;
  /** A line that has the form of the log already. Default: `say`. */
  readonly log?: (line: string) => void;
  /** True if stderr is a terminal that may be drawn on. */
  readonly isTerminal: boolean;
  /** True if a person can be asked: stdin and stderr are terminals. */
  readonly isInteractive: boolean;
  /** True if colours are welcome (a terminal without `NO_COLOR`). */
  readonly hasColour: boolean;
  /** `--quiet`: no progress. */
  readonly isQuiet?: boolean;
  /** `--verbose`: print the worker's log too. */
  readonly isVerbose?: boolean;
}

/** Where the lines of a worker's log go besides its file; undefined without `--verbose`. */
export function logOf({ isVerbose, say, log = say }: Output): ((line: string) => void) | undefined {
  return isVerbose === true ? log : undefined;
}

/** The output of this process. A reader that has gone away (`| head`) is no error. */
export function processOutput(): Output {
  const isTerminal = process.stderr.isTTY;
  for (const stream of [process.stdout, process.stderr]) {
    stream.on('error', (error: NodeJS.ErrnoException) => {
      if (error.code !== 'EPIPE') throw error;
    });
  }
  return {
    data: (line) => process.stdout.write(`${line}\n`),
    bytes: async (body) => {
      await pipeline(body, process.stdout, { end: false }).catch((error: unknown) => {
        if ((error as NodeJS.ErrnoException).code !== 'EPIPE') throw error;
      });
    },
    say: (line) => process.stderr.write(`${line}\n`),
    isTerminal,
    isInteractive: isTerminal && process.stdin.isTTY,
    hasColour: isTerminal && process.env['NO_COLOR'] === undefined,
  };
}
