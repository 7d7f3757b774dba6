import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from '@jest/globals';
import { chooseSettings } from '../../batches/batch-settings.ts';
import { priceScheduled } from '../../batches/price-scheduled.ts';
import { scheduledRunOf } from '../../batches/scheduled-run.ts';
import { freshPlace } from '../support/place.ts';

const REALM = { apiUrl: 'https://api.example/api/open/v1', account: 'u1' };
const place = freshPlace();

it('a firing is priced with the limits on texts that were learnt, as it will be checked', async () => {
  const { ledger, folder } = place;
  const manifest = join(folder, 'long.csv');
  await writeFile(manifest, `id,text,voice\na,${'Long. '.repeat(200)},anna\n`);
  const run = scheduledRunOf(chooseSettings({}, {}), { manifest, outFolder: folder, probe: false, confirmAbove: null });
  const price = (): Promise<unknown> =>
    priceScheduled(run, () => Promise.reject(new Error('It is a file.')), {
      ledger,
      account: REALM,
      identify: async () => new Map(),
    });
  expect(await price()).toMatchObject({ type: 'sound', rows: 1 });
  await ledger.noteTextLimit(REALM, 'speech-job', 600);
  expect(await price()).toMatchObject({ type: 'unsound', reason: expect.stringContaining('600') });
});
