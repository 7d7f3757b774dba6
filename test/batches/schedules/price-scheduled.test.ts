import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from '@jest/globals';
import { chooseSettings } from '../../../batches/batch-settings.ts';
import { priceScheduled, type ScheduledPrice } from '../../../batches/schedules/price-scheduled.ts';
import { scheduledRunOf } from '../../../batches/schedules/scheduled-choices.ts';
import { freshPlace } from '../../support/place.ts';

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

/** Prices a manifest with this content, or one that is not there, under a budget. */
async function priceOf(content: string | undefined): Promise<ScheduledPrice> {
  const manifest = join(place.folder, 'lines.csv');
  if (content !== undefined) await writeFile(manifest, content);
  const parts = { manifest, outFolder: place.folder, probe: false, confirmAbove: null };
  const run = scheduledRunOf(chooseSettings({ tuning: { budget: 50 } }, {}), parts);
  return priceScheduled(run, () => Promise.reject(new Error('It is a file.')));
}

it('a firing is priced by the manifest as it is now', async () => {
  const price = await priceOf('id,text,voice\na,One.,narrator\nb,Two.,narrator\n');
  expect(price).toMatchObject({ type: 'sound', rows: 2, budget: 50 });
});

it('a firing that could not run is told with what is wrong with its manifest', async () => {
  expect(await priceOf(undefined)).toMatchObject({
    type: 'unsound',
    reason: expect.stringContaining('cannot read'),
  });
  expect(await priceOf('id,text,voice\na,,narrator\n')).toMatchObject({
    type: 'unsound',
    reason: expect.stringContaining('line 2'),
    more: [],
  });
  expect(await priceOf(`id,text,voice\n${'a,,narrator\n'.repeat(9)}`)).toMatchObject({
    more: [expect.stringContaining('line 3'), ...Array.from({ length: 3 }, () => expect.any(String) as unknown)],
  });
});
