import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { LEDGERS, type LedgerKind } from './world-ledger.ts';
import { STORES, type StoreKind } from './world-store.ts';

export const SCENARIOS = ['storm', 'faults', 'power-cut', 'verify'] as const;
export type Scenario = (typeof SCENARIOS)[number];

/** What a chaos run was told on its command line. */
export interface ChaosOptions {
  readonly scenario: Scenario;
  /** Rows of all batches together. */
  readonly rows: number;
  /** Processes that a storm kills. */
  readonly kills: number;
  /** What everything random is drawn from. */
  readonly seed: number;
  /** Longest time until the batches have ended, in minutes. */
  readonly minutes: number;
  /** Paid requests of a batch on the wire at once. */
  readonly submits: number;
  readonly ledger: LedgerKind;
  readonly store: StoreKind;
  /** Deeds of a storm; all if there are none. */
  readonly only: readonly string[];
  /** Power cuts. */
  readonly times: number;
  /** Folder of the compiled voxbatch. */
  readonly dist: string;
  /** Keep the folder of a run in which nothing broke. */
  readonly keep: boolean;
}

const USAGE = `npm run chaos -- [${SCENARIOS.join(' | ')}] [--rows N] [--kills N] [--seed N] [--minutes N] [--submits N] [--ledger ${LEDGERS.join('|')}] [--store ${STORES.join('|')}] [--only DEED,…] [--times N] [--dist FOLDER] [--keep]`;
const OWN_DIST = fileURLToPath(new URL('../../dist', import.meta.url));
const NUMBERS = {
  rows: 300,
  kills: 12,
  minutes: 30,
  submits: 8,
  times: 20,
} as const;

/** Reads the command line. Throws an error that says what was expected. */
export function readOptions(argv: readonly string[]): ChaosOptions {
  const numeric = Object.fromEntries(
    [...Object.keys(NUMBERS), 'seed'].map((name) => [name, { type: 'string' as const }]),
  );
  const { values, positionals } = parseArgs({
    args: [...argv],
    options: {
      ...numeric,
      ledger: { type: 'string' },
      store: { type: 'string' },
      only: { type: 'string' },
      dist: { type: 'string' },
      keep: { type: 'boolean' },
    },
    allowPositionals: true,
  });
  const given: Readonly<Record<string, unknown>> = values;
  const [name = 'storm', ...more] = positionals;
  const scenario = SCENARIOS.find((one) => one === name);
  if (scenario === undefined || more.length > 0)
    throw new Error(`There is no chaos called "${positionals.join(' ')}".\n${USAGE}`);
  const number = (flag: keyof typeof NUMBERS | 'seed', otherwise: number): number => {
    const value = given[flag] ?? String(otherwise);
    if (typeof value === 'string' && /^\d+(\.\d+)?$/.test(value)) return Number(value);
    throw new Error(`--${flag}: expected a number, got ${JSON.stringify(value)}.\n${USAGE}`);
  };
  const oneOf = <T extends string>(flag: 'ledger' | 'store', all: readonly [T, ...T[]]): T => {
    const value = given[flag] ?? all[0];
    const found = all.find((one) => one === value);
    if (found !== undefined) return found;
    throw new Error(`--${flag}: expected ${all.join(' or ')}, got ${JSON.stringify(value)}.\n${USAGE}`);
  };
  return {
    scenario,
    rows: number('rows', NUMBERS.rows),
    kills: number('kills', NUMBERS.kills),
    seed: number('seed', Math.floor(Math.random() * 2 ** 31)),
    minutes: number('minutes', NUMBERS.minutes),
    submits: number('submits', NUMBERS.submits),
    ledger: oneOf('ledger', LEDGERS),
    store: oneOf('store', STORES),
    only: typeof values.only === 'string' ? values.only.split(',') : [],
    times: number('times', NUMBERS.times),
    dist: resolve(typeof values.dist === 'string' ? values.dist : OWN_DIST),
    keep: values.keep === true,
  };
}

/** The command that runs the same again. */
export function replayCommand(options: ChaosOptions, argv: readonly string[]): string {
  const others = argv.filter((arg, at) => arg !== '--seed' && argv[at - 1] !== '--seed');
  return `npm run chaos -- ${[...others, '--seed', String(options.seed)].join(' ')}`;
}
