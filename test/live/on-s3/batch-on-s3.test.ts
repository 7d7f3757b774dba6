/** @slow */
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { type S3Server, startS3 } from '../../s3-server.mjs';
import { expectWhole, report } from '../../support/batch-end.ts';
import { LiveWorld } from '../../support/live-world.ts';

/** Batches whose media are in a bucket on a real S3 server. */

const ROWS = 120;
/** Paid requests on the wire at once, by default: what a kill can leave unknown. */
const SUBMITS = 8;

let s3: S3Server;
beforeAll(async () => {
  s3 = await startS3();
});
afterAll(() => s3.stop());

/** The objects of a place in the bucket. */
async function objects(prefix: string): Promise<readonly string[]> {
  const all = await readdir(join(s3.bucket, prefix), { recursive: true, withFileTypes: true });
  return all.filter((entry) => entry.isFile()).map(({ parentPath, name }) => join(parentPath, name));
}

it('a batch whose worker and S3 server are killed in the middle: all rows have results, and none is charged twice', async () => {
  const env = { ...s3.env, VOXBATCH_STORE: 's3://media/killed' };
  const world = await LiveWorld.open({ seed: 7, createMs: [50, 150], jobMs: [500, 1_500], rows: ROWS });
  const run = ['run', 'lines.csv', '--halt', 'never', '--rate', '20'];
  const first = world.start(run, { env });
  await world.untilCharged(ROWS / 4);
  await first.kill();
  const second = world.start(run, { env });
  await world.untilCharged(ROWS / 2);
  await s3.kill();
  await second.said('The store does not answer');
  const awayAt = world.charges().size;
  await s3.start();
  await second.said('The store answers again');
  const { code } = await second.ended;
  const end = await expectWhole(world, 'lines', ROWS);
  report('worker and S3 server killed', { chargedWhenAway: awayAt, ...end });
  expect(code).toBe(end.unknown > 0 ? 13 : 0);
  expect(end.unknown).toBeLessThanOrEqual(SUBMITS);
  expect(world.doubleCharges()).toEqual([]);
});

it('what a person does with a batch afterwards: rebuild, verify, use again, repair, clean', async () => {
  const env = { ...s3.env, VOXBATCH_STORE: 's3://media/walk/x' };
  const kinds = ['tts', 'stt'];
  const world = await LiveWorld.open({ seed: 8, jobMs: [200, 400], rows: 12, kinds, server: true });
  const voxbatch = async (...args: readonly string[]): Promise<string> => {
    const { code, stdout, stderr } = await world.run(args, { env });
    expect({ args, code, stderr: code === 0 ? '' : stderr }).toEqual({ args, code: 0, stderr: '' });
    return stdout;
  };
  expect(await voxbatch('doctor')).toContain('s3://media/walk/x can be read and written');
  await voxbatch('run', 'lines.csv');
  const charged = world.charges().size;
  expect((await world.run(['doctor'], { env })).stdout).not.toContain('BAD');

  await rm(world.path('out'), { recursive: true });
  await voxbatch('results', 'lines');
  await voxbatch('verify', 'lines');

  await voxbatch('run', 'lines.csv', '--name', 'again');
  const again = await world.results('again');
  // The media that were transcribed have no identity by which they would be known again.
  const outcomes = [...again.values()].map((row) => `${String(row['_kind'])} ${String(row['_outcome'])}`);
  expect(new Set(outcomes)).toEqual(new Set(['tts cached', 'stt succeeded']));
  expect(world.charges().size).toBe(charged + 6);

  const lost = (await objects('walk/x')).find((path) => /\/x\/lines.*mp3$/.test(path));
  await rm(lost ?? '');
  await rm(world.path('out'), { recursive: true });
  expect((await world.run(['results', 'lines'], { env })).code).toBe(15);
  await voxbatch('redrive', 'lines', '--damaged', '--yes');
  await voxbatch('verify', 'lines');
  expect(world.charges().size).toBe(charged + 6);

  await voxbatch('cache', 'prune', '--older-than', '1s', '--yes');
  await voxbatch('clean', 'again', '--media', '--yes');
  await voxbatch('clean', 'lines', '--media', '--yes');
  expect((await objects('walk/x')).map((path) => path.split('/').at(-1))).toEqual(['.ledger', '.store']);
});
