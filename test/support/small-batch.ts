import { expect } from '@jest/globals';
import { LiveWorld } from './live-world.ts';
import { mixedManifest } from './mixed-manifest.ts';

/** Rows of a small batch: three of each kind. */
const ROWS = 12;
/** Each row once, and the second step of a `dub`. */
const CHARGES = ROWS + ROWS / 4;
/** Looks at jobs at once, so that a batch takes as long as its jobs. */
const POLLING = { firstLookMs: 100, gapMs: 100 };

/** A world for starts that go wrong: a quick API, and `lines.csv`. */
export async function openSmallWorld(
  manifest = mixedManifest(ROWS),
  place: 'create' | 'withServer' = 'create',
): Promise<LiveWorld> {
  const world = await LiveWorld[place]({ seed: 3, createMs: [5, 20], jobMs: [100, 300] });
  await world.write('voxbatch.config.json', JSON.stringify({ polling: POLLING }));
  await world.write('lines.csv', manifest);
  return world;
}

/** Expects of the same command in an ordinary world that every row ends well, and that each paid request was made once. */
export async function expectMended(world: LiveWorld, args: readonly string[]): Promise<void> {
  const { code, stderr } = await world.run(args);
  expect({ code, stderr }).toMatchObject({ code: 0 });
  expectChargedOnce(world);
}

/** Expects that each paid request of the small batch was made, and none twice. */
export function expectChargedOnce(world: LiveWorld): void {
  expect(world.doubleCharges()).toEqual([]);
  expect(world.charges().size).toBe(CHARGES);
}
