/** @slow */
import { expect, it } from '@jest/globals';
import { rename } from 'node:fs/promises';
import { s3ForFile, s3Server } from '../../on-s3/server.ts';
import { expectWhole, report, saying } from '../../support/batch-end.ts';
import { LiveWorld } from '../../support/live-world.ts';

/** Batches whose results come with the answers, while their bucket refuses them. */

const ROWS = 40;
const RUN = ['run', 'lines.csv', '--tts', 'sync', '--halt', 'never', '--rate', '8'];

s3ForFile();

/** A run whose bucket was taken away in the middle, once it has said `told`. */
async function startAndTakeAway(place: string, told: string | RegExp) {
  const { env: access, bucket } = s3Server();
  const env = { ...access, VOXBATCH_STORE: `s3://media/${place}` };
  const world = await LiveWorld.open({ seed: 9, createMs: [100, 300], rows: ROWS, kinds: ['tts'] });
  const run = world.start(RUN, { env });
  await world.untilCharged(ROWS / 4);
  await rename(bucket, `${bucket}-away`);
  await run.said(told);
  return { world, env, run, bringBack: () => rename(`${bucket}-away`, bucket) };
}

it('a bucket that is taken away in the middle is waited for, and no paid answer is lost once it is back', async () => {
  const told = /Nothing is sent until that is mended.*NoSuchBucket.*Create the bucket/;
  const { world, env, run, bringBack } = await startAndTakeAway('refused', told);
  // Those that were on the wire arrive.
  const chargedAway = await world.untilTaken();
  expect(await world.start(['status', 'lines'], { env }).ended).toMatchObject({
    stdout: expect.stringMatching(
      /1 worker has waited for the store for \d+:\d\d: .*refuses \(\w+Object \S+: NoSuchBucket/,
    ),
  });
  // Longer than a worker that ends would try.
  await new Promise((resolve) => setTimeout(resolve, 12_000));
  expect(world.charges().size).toBe(chargedAway);
  await bringBack();
  await run.said('The store answers again');
  const { code } = await run.ended;
  const end = await expectWhole(world, 'lines', ROWS);
  report('bucket taken away and given back', { chargedAway, ...end });
  expect({ code, unknown: end.unknown, charges: end.charges }).toEqual({ code: 0, unknown: 0, charges: ROWS });
});

it('a process that is told to end meanwhile says how many paid answers are lost', async () => {
  const { world, env, run, bringBack } = await startAndTakeAway('ended', 'Nothing is sent until that is mended');
  run.child.kill('SIGTERM');
  const { code, stderr } = await run.ended;
  await bringBack();
  const lost = Number(/\b(\d{1,4}) paid answers? could not be kept/.exec(stderr)?.[1]);
  expect({ code, stderr }).toEqual({ code: 4, stderr: saying('Their rows end `unknown`') });
  expect(stderr).not.toMatch(/Nothing (that was paid )?is lost/);
  expect(await world.start(RUN, { env }).ended).toMatchObject({ code: 13 });
  const end = await expectWhole(world, 'lines', ROWS);
  report('ended while the bucket was away', { lost, ...end });
  expect(lost).toBeGreaterThan(0);
  expect(end.unknown).toBe(lost);
});
