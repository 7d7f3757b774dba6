/** @slow */
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { rename } from 'node:fs/promises';
import { type S3Server, startS3 } from '../../s3-server.mjs';
import { expectWhole, report, saying } from '../../support/batch-end.ts';
import { LiveWorld } from '../../support/live-world.ts';

/** Batches whose results come with the answers, while their bucket refuses them. */

const ROWS = 40;
const RUN = ['run', 'lines.csv', '--tts', 'sync', '--halt', 'never', '--rate', '8'];

let s3: S3Server;
beforeAll(async () => {
  s3 = await startS3();
});
afterAll(() => s3.stop());

async function openWorld(): Promise<LiveWorld> {
  return LiveWorld.open({ seed: 9, createMs: [100, 300], rows: ROWS, kinds: ['tts'] });
}

it('a bucket that is taken away in the middle is waited for, and no paid answer is lost once it is back', async () => {
  const env = { ...s3.env, VOXBATCH_STORE: 's3://media/refused' };
  const world = await openWorld();
  const run = world.start(RUN, { env });
  await world.untilCharged(ROWS / 4);
  await rename(s3.bucket, `${s3.bucket}-away`);
  await run.said(/Nothing is sent until that is mended.*NoSuchBucket.*Create the bucket/);
  const chargedAway = world.charges().size;
  // Longer than a worker that ends would try.
  await new Promise((resolve) => setTimeout(resolve, 12_000));
  expect(world.charges().size).toBe(chargedAway);
  await rename(`${s3.bucket}-away`, s3.bucket);
  await run.said('The store answers again');
  const { code } = await run.ended;
  const end = await expectWhole(world, 'lines', ROWS);
  report('bucket taken away and given back', { chargedAway, ...end });
  expect({ code, unknown: end.unknown, charges: end.charges }).toEqual({ code: 0, unknown: 0, charges: ROWS });
});

it('a process that is told to end meanwhile says how many paid answers are lost', async () => {
  const env = { ...s3.env, VOXBATCH_STORE: 's3://media/ended' };
  const world = await openWorld();
  const run = world.start(RUN, { env });
  await world.untilCharged(ROWS / 4);
  await rename(s3.bucket, `${s3.bucket}-away`);
  await run.said('Nothing is sent until that is mended');
  run.child.kill('SIGTERM');
  const { code, stderr } = await run.ended;
  await rename(`${s3.bucket}-away`, s3.bucket);
  const lost = Number(/\b(\d{1,4}) paid answers? could not be kept/.exec(stderr)?.[1]);
  expect({ code, stderr }).toEqual({ code: 4, stderr: saying('Their rows end `unknown`') });
  expect(stderr).not.toMatch(/Nothing (that was paid )?is lost/);
  expect(await world.start(RUN, { env }).ended).toMatchObject({ code: 13 });
  const end = await expectWhole(world, 'lines', ROWS);
  report('ended while the bucket was away', { lost, ...end });
  expect(lost).toBeGreaterThan(0);
  expect(end.unknown).toBe(lost);
});
