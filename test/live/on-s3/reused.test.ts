/** @slow */
import { expect, it } from '@jest/globals';
import { s3ForFile } from '../../on-s3/server.ts';
import { userOfFolder } from '../../on-s3/user-of-folder.ts';
import { expectWhole } from '../../support/batch-end.ts';
import { LiveWorld } from '../../support/live-world.ts';

s3ForFile();

const ROWS = 12;

it('a batch that uses earlier results ends on a server that fails with each copy', async () => {
  const env = { ...(await userOfFolder('folder')), VOXBATCH_STORE: 's3://folder/p' };
  const world = await LiveWorld.open({ seed: 4, createMs: [5, 20], jobMs: [50, 100], rows: ROWS, kinds: ['tts'] });
  expect(await world.start(['run', 'lines.csv', '--yes'], { env }).ended).toMatchObject({ code: 0 });
  expect(await world.start(['run', 'lines.csv', '--yes', '--name', 'again'], { env }).ended).toMatchObject({ code: 0 });
  await expectWhole(world, 'lines', ROWS);
  // None was paid for again.
  expect(world.simulator.ledger()).toHaveLength(ROWS);
  // The comparison opens the bucket with the settings in the environment, as the batches do.
  expect(await world.start(['compare', 'lines', 'again'], { env }).ended).toMatchObject({ code: 0 });
});
