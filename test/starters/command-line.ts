import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, expect } from '@jest/globals';
import { startSimulator, type Simulator, type SimulatorOptions } from '../../simulator/start-simulator.ts';
import { main } from '../../starters/main.ts';
import type { Output } from '../../starters/terminal/output.ts';
import { endAfterTest } from '../support/end-after-test.ts';
import { freshFolder } from '../support/fresh-folder.ts';
import { freshPlace, type Place } from '../support/place.ts';
import { capture } from './capture.ts';

export { capture };

/** How a command line ended. */
export interface Ended {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** The words of a command line. The first text may be several, with a space between them. */
type Line = string | readonly string[];

/** What must be in a text, or match it. Nothing may be printed where it is `''`. */
type Said = string | RegExp | readonly (string | RegExp)[];

const SETTINGS = /^(VOXBATCH|TEMPORAL)_|^XDG_STATE_HOME$/;

/** Until the test has ended: a folder of one's own as working directory, with none of our settings from outside. */
function openCommandLine(env: NodeJS.ProcessEnv = {}): void {
  const folder = freshFolder();
  const before = { cwd: process.cwd(), env: { ...process.env } };
  const forget = (): void => {
    for (const name of Object.keys(process.env)) if (SETTINGS.test(name)) Reflect.deleteProperty(process.env, name);
  };
  forget();
  // What it confirms is none of the user's own.
  Object.assign(process.env, { XDG_STATE_HOME: join(folder, '.state') }, env);
  process.chdir(folder);
  endAfterTest(() => {
    process.chdir(before.cwd);
    forget();
    Object.assign(process.env, before.env);
  });
}

/** Lets the command line use a simulator until the test has ended, which may spend nothing there. */
export async function simulate(options?: SimulatorOptions): Promise<Simulator> {
  const simulator = await startSimulator(options);
  Object.assign(process.env, apiOf(simulator));
  endAfterTest(async () => {
    await simulator.close();
    expect(simulator.ledger()).toEqual([]);
  });
  return simulator;
}

function apiOf({ url, token }: Simulator): NodeJS.ProcessEnv {
  return { VOXBATCH_API_URL: url, VOXBATCH_API_TOKEN: token };
}

/** A command line for every test of a file. */
export function lineForEach(env?: NodeJS.ProcessEnv): void {
  beforeEach(() => {
    openCommandLine(env);
  });
}

/** The same at a simulator of its own. */
export function lineAtSimulator(options?: SimulatorOptions): { readonly simulator: Simulator } {
  let simulator: Simulator;
  beforeEach(async () => {
    openCommandLine();
    simulator = await simulate(options);
  });
  return {
    get simulator() {
      return simulator;
    },
  };
}

/** A command line for every test of a file, with a ledger and a store that it finds. */
export function placeForEach(env: () => NodeJS.ProcessEnv = () => ({})): Place {
  const place = freshPlace();
  beforeEach(() => {
    openCommandLine({ VOXBATCH_HOME: place.folder, ...env() });
  });
  return place;
}

/** The same with a simulator that all tests of the file share, and at which they spend nothing. `atEnd` looks at the place after each. */
export function placeAtSimulator(atEnd?: (place: Place) => Promise<void>): {
  readonly place: Place;
  readonly simulator: Simulator;
} {
  let simulator: Simulator;
  beforeAll(async () => {
    simulator = await startSimulator();
  });
  // Before the place is closed.
  afterEach(async () => {
    expect(simulator.ledger()).toEqual([]);
    await atEnd?.(place);
  });
  afterAll(() => simulator.close());
  const place = placeForEach(() => apiOf(simulator));
  return {
    place,
    get simulator() {
      return simulator;
    },
  };
}

/** Runs a command line in this process, as its `cli.ts` would. */
export async function run(...[first = '', ...rest]: readonly string[]): Promise<Ended> {
  const lines = { out: '', err: '' };
  const words = [...first.split(' ').filter((word) => word !== ''), ...rest];
  const code = await main(words, { output: capture(lines) });
  if (words.includes('--json') || words.includes('json'))
    (await import('../support/published-views.ts')).requirePublished(words, lines.out);
  return { code, stdout: lines.out, stderr: lines.err };
}

/** Runs a command line with `--json`, which prints one line of it. */
export async function json(
  ...words: string[]
): Promise<{ readonly code: number; readonly value: Record<string, unknown> }> {
  const { code, stdout } = await run(...words, '--json');
  return { code, value: JSON.parse(stdout) as Record<string, unknown> };
}

interface Expected {
  readonly out?: Said;
  readonly err?: Said;
  /** What neither stream may have. */
  readonly not?: Said;
}

/** Runs a command line, which must end with this code and print this; what is no object is looked for in stderr. */
export async function expectRun(line: Line, code: number, expected: Said | Expected = {}): Promise<Ended> {
  const ended = await run(...[line].flat());
  // All of it, so that a failure shows it.
  expect({ line, ...ended }).toEqual({ line, ...ended, code });
  const isWords = typeof expected === 'string' || expected instanceof RegExp || expected instanceof Array;
  const { out = [], err = [], not = [] }: Expected = isWords ? { err: expected } : expected;
  expectSaid(ended.stdout, out);
  expectSaid(ended.stderr, err);
  for (const words of [not].flat()) expect(ended.stdout + ended.stderr).not.toMatch(words);
  return ended;
}

function expectSaid(text: string, said: Said): void {
  if (said === '') expect(text).toBe('');
  else for (const words of [said].flat()) expect(text).toMatch(words);
}

/** Expects a refusal: no data, these words on stderr, and that nothing was spent. */
export async function expectRefused(line: Line, said: Exclude<Said, ''>, code = 2): Promise<Ended> {
  return expectRun(line, code, { out: '', err: [...[said].flat(), /nothing was (changed, nothing was )?spent/i] });
}

/** A terminal with a person at it, and what was written there. */
export function aTerminal(): { readonly output: Output; readonly lines: { out: string; err: string } } {
  const lines = { out: '', err: '' };
  return { output: { ...capture(lines), isInteractive: true }, lines };
}
