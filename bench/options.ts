import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';

/** Options of the benchmark's command line. */
export interface BenchOptions {
  /** Rows of the batch that each contestant gets. */
  readonly rows: number;
  /** How often a contestant's worker is killed (SIGKILL), spread evenly over the rows. */
  readonly kills: number;
  /** Seed of the simulator's faults, durations and answers. */
  readonly seed: number;
  /** Paid requests per second that the API accepts. */
  readonly rate: number;
  /** Time limit per contestant, in seconds; then it is judged as it stands. */
  readonly seconds: number;
  /** Names of the contestants to run; empty: all. */
  readonly only: readonly string[];
  /** Folder of the compiled voxbatch. */
  readonly dist: string;
}

const USAGE =
  'npm run bench -- [CONTESTANT…] [--rows N] [--kills N] [--seed N] [--rate N] [--seconds N] [--dist FOLDER]';
const OWN_DIST = fileURLToPath(new URL('../dist', import.meta.url));

/** Parses the command line. Throws an error that says what was expected. */
export function readOptions(argv: readonly string[], contestants: readonly string[]): BenchOptions {
  const text = { type: 'string' } as const;
  const { values, positionals } = parseArgs({
    args: [...argv],
    options: { rows: text, kills: text, seed: text, rate: text, seconds: text, dist: text },
    allowPositionals: true,
  });
  const unknown = positionals.find((name) => !contestants.includes(name));
  if (unknown !== undefined) {
    throw new Error(`There is no contestant "${unknown}"; expected ${contestants.join(', ')}.\n${USAGE}`);
  }
  const number = (flag: 'rows' | 'kills' | 'seed' | 'rate' | 'seconds', otherwise: number): number => {
    const value = values[flag] ?? String(otherwise);
    if (/^\d+$/.test(value)) return Number(value);
    throw new Error(`--${flag}: expected a whole number, got ${JSON.stringify(value)}.\n${USAGE}`);
  };
  return {
    rows: number('rows', 300),
    kills: number('kills', 5),
    seed: number('seed', 1),
    rate: number('rate', 20),
    seconds: number('seconds', 120),
    only: positionals,
    dist: resolve(values.dist ?? OWN_DIST),
  };
}
