/** @slow */
import { expect, it } from '@jest/globals';
import { rename } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { expectWhole, saying } from '../support/batch-end.ts';
import { LiveWorld } from '../support/live-world.ts';

/** Batches whose results come with the answers, while the folder of the store is not there. */

const ROWS = 40;
const RUN = ['run', 'lines.csv', '--tts', 'sync', '--halt', 'never', '--rate', '8'];
const TOLD = /Nothing is sent until that is mended.*this store is not there any more.*Bring it back/;
/** Longer than a worker that must end would try, ms. */
const LONG_MS = 12_000;

/** A run whose store was taken away in the middle, and which has said so. */
async function startAndTakeAway() {
  const world = await LiveWorld.open({ seed: 9, createMs: [100, 300], rows: ROWS, kinds: ['tts'] });
  const [store, away] = [world.path('media'), world.path('media-away')];
  const env = { VOXBATCH_STORE: store };
  const run = world.start(RUN, { env });
  await world.untilCharged(ROWS / 4);
  await rename(store, away);
  await run.said(TOLD);
  return { world, env, run, bringBack: () => rename(away, store) };
}

it('the paid answers in hand wait until it is back, and all of them are kept', async () => {
  const { world, env, run, bringBack } = await startAndTakeAway();
  // Those that were on the wire arrive.
  const charged = await world.untilTaken();
  await sleep(LONG_MS);
  expect(world.charges().size).toBe(charged);
  await bringBack();
  expect(await run.ended).toMatchObject({ code: 4, stderr: saying('Nothing is lost, nothing more is spent') });
  expect(await world.run(RUN, { env })).toMatchObject({ code: 0 });
  expect(await expectWhole(world, 'lines', ROWS)).toMatchObject({ unknown: 0, charges: ROWS });
});

it('a process that is told to end meanwhile says how many are lost', async () => {
  const { world, env, run, bringBack } = await startAndTakeAway();
  run.child.kill('SIGTERM');
  const { code, stderr } = await run.ended;
  expect({ code, stderr }).toEqual({ code: 4, stderr: saying('unknown`') });
  expect(stderr).not.toMatch(/Nothing (that was paid )?is lost/);
  const lost = Number(/\b(\d{1,4}) paid answers? could not be kept/.exec(stderr)?.[1]);
  expect(lost).toBeGreaterThan(0);
  await bringBack();
  expect(await world.run(RUN, { env })).toMatchObject({ code: 13 });
  expect(await expectWhole(world, 'lines', ROWS)).toMatchObject({ unknown: lost });
});
