/** @slow */
import { expect, it } from '@jest/globals';
import { rename } from 'node:fs/promises';
import { s3ForFile, s3Server } from '../../on-s3/server.ts';
import { openCluster } from '../../support/cluster.ts';
import { expectWhole } from '../../support/batch-end.ts';

const ROWS = 100;
/** Longer than a command that only asks waits for a bucket. */
const AWAY_MS = 25_000;

s3ForFile();

it('a command that follows a batch waits for a bucket that refuses or does not answer, and says so once each time', async () => {
  const s3 = s3Server();
  const { env: access, bucket } = s3;
  const { world, env } = await openCluster({ seed: 19, jobMs: [100, 300], rows: ROWS, kinds: ['tts'] }, 0);
  const own = { env: { ...env, ...access, VOXBATCH_STORE: 's3://media/followed' } };
  const worker = await world.startWorking(['worker'], own);
  const run = world.start(['run', 'lines.csv', '--halt', 'never', '--rate', '8'], own);
  await world.untilCharged(ROWS / 4);
  await rename(bucket, `${bucket}-away`);
  await run.said(/This command cannot use the store: .*NoSuchBucket.*the batch goes on wherever workers can use it/);
  await rename(`${bucket}-away`, bucket);
  await run.said('The store answers again');
  await world.untilCharged(ROWS / 2);
  await s3.kill();
  await run.said('The store does not answer');
  await new Promise((resolve) => setTimeout(resolve, AWAY_MS));
  await s3.start();
  const { code, stderr } = await run.ended;
  expect(stderr.match(/The store (does not answer|answers again)|This command cannot use the store/g)).toEqual([
    'This command cannot use the store',
    'The store answers again',
    'The store does not answer',
    'The store answers again',
  ]);
  await worker.endInOrder();
  expect({ code, ...(await expectWhole(world, 'lines', ROWS)) }).toMatchObject({ code: 0, unknown: 0, charges: ROWS });
});
