import { expect } from '@jest/globals';
import type { Ended } from './live-command.ts';
import { LiveWorld } from './live-world.ts';

/** Rows of a small batch: three of each kind. */
const ROWS = 12;
/** Each row once, and the second step of a `dub`. */
const CHARGES = ROWS + ROWS / 4;
/** A world for starts that go wrong: a quick API, and `lines.csv` of all kinds. */
export function openSmallWorld(rows = ROWS, server = false, createMs: [number, number] = [5, 20]): Promise<LiveWorld> {
  const config = { polling: { firstLookMs: 100, gapMs: 100 } };
  return LiveWorld.open({ seed: 3, createMs, jobMs: [100, 300], rows, config, server });
}

/** Exactly one message of ours, on stderr, in words for a user. */
export function messageOf({ stdout, stderr }: Ended): string {
  expect(stdout).toBe('');
  expect(stderr).not.toMatch(/^[ \t]+at .+:\d+/m);
  expect(stderr).not.toMatch(/internal error|UnhandledPromise|node:internal/);
  expect(stderr.split('\n').filter((line) => line.startsWith('voxbatch: '))).toHaveLength(1);
  return stderr.slice(stderr.indexOf('voxbatch: '));
}

/** Expects of the same command in an ordinary world that every row ends well, and that each paid request was made; the world finds one that was made twice. */
export async function expectMended(
  world: LiveWorld,
  args: readonly string[],
  env: NodeJS.ProcessEnv = {},
): Promise<void> {
  const { code, stderr } = await world.run(args, { env });
  expect({ code, stderr, charges: world.charges().size }).toMatchObject({ code: 0, charges: CHARGES });
}
