/** @slow */
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type S3Server, startS3 } from '../../s3-server.mjs';
import { expectWhole } from '../../support/batch-end.ts';
import { LiveWorld } from '../../support/live-world.ts';
import { fetchesOf, writeLocalManifest } from '../../support/local-media.ts';

/** Local audio and video of a manifest, by a store in a bucket on a real S3 server. */

const ROWS = 60;
/** Paid requests on the wire at once, by default: what a kill can leave unknown. */
const SUBMITS = 8;

let s3: S3Server;
beforeAll(async () => {
  s3 = await startS3();
});
afterAll(() => s3.stop());

async function openWorld(jobMs: [number, number]): Promise<LiveWorld> {
  const polling = { firstLookMs: 300, gapMs: 300 };
  const world = await LiveWorld.open({ fetchMedia: true, jobMs, createMs: [50, 150], config: { polling } });
  await writeLocalManifest(world, ROWS);
  return world;
}

async function uploads(prefix: string): Promise<readonly string[]> {
  return readdir(join(s3.bucket, prefix, '_inputs')).catch(() => []);
}

it('are uploaded once each, fetched by presigned links also while the worker is dead, and swept when no row needs them', async () => {
  const env = { ...s3.env, VOXBATCH_STORE: 's3://media/local' };
  const world = await openWorld([300, 1_500]);
  const args = ['run', 'lines.csv', '--cache', 'off', '--rate', '20', '--halt', 'never'];
  let run = world.start(args, { env });
  for (const share of [0.3, 0.6]) {
    await world.untilCharged(Math.ceil(share * ROWS));
    await run.kill();
    expect(await uploads('local')).toHaveLength(4);
    run = world.start(args, { env });
  }
  const { code } = await run.ended;
  const end = await expectWhole(world, 'lines', ROWS);
  expect(code).toBe(end.unknown > 0 ? 13 : 0);
  expect(end.unknown).toBeLessThanOrEqual(2 * SUBMITS);
  expect(world.doubleCharges()).toEqual([]);
  const fetches = await fetchesOf(world);
  expect(fetches.filter(({ status }) => status !== 200)).toEqual([]);
  for (const { url, sha256 } of fetches) expect(new URL(url).pathname).toContain(`/local/_inputs/${sha256}.`);

  const urls = await world.run(['results', 'lines', '--media-links', '1h', '--json'], { env });
  expect(JSON.parse(urls.stdout)).toMatchObject({ links: expect.any(Number) as unknown });
  const [header, ...table] = (await world.read('out', 'lines', 'media-links.csv')).trimEnd().split('\n');
  expect(header).toBe('id,_row,_file,_url,_expires');
  expect(table.length).toBeGreaterThanOrEqual(ROWS - end.unknown);
  for (const [, , file = '', url = ''] of table.slice(0, 10).map((line) => line.split(','))) {
    const fetched = Buffer.from(await (await fetch(url)).arrayBuffer());
    expect(fetched.equals(await readFile(world.path('out', 'lines', file)))).toBe(true);
  }
  expect(await world.run(['verify', 'lines'], { env })).toMatchObject({ code: 0 });

  const pruned = await world.run(['cache', 'prune', '--older-than', '1000d', '--yes', '--json'], { env });
  const left = await uploads('local');
  expect(JSON.parse(pruned.stdout)).toMatchObject({ results: 0, uploads: { files: 4 - left.length } });
  // The job of a request in doubt may still want them.
  expect(left.length > 0).toBe(end.unknown > 0);
});

it('stay in the bucket as long as a job may still want them', async () => {
  const env = { ...s3.env, VOXBATCH_STORE: 's3://media/again' };
  const world = await openWorld([60_000, 60_000]);
  const run = world.start(['run', 'lines.csv', '--cache', 'off', '--limit', '3'], { env });
  await world.untilCharged(3);
  await run.kill();
  const pruned = await world.run(['cache', 'prune', '--older-than', '1000d', '--yes', '--json'], { env });
  expect(JSON.parse(pruned.stdout)).toMatchObject({ results: 0 });
  // Two lip-syncs still run, with a video and two recordings.
  expect((await uploads('again')).length).toBeGreaterThanOrEqual(3);
});
