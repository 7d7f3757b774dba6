import { expect, it } from '@jest/globals';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { chooseSettings } from '../../../batches/batch-settings.ts';
import { openOccurrence, type OpenedOccurrence } from '../../../batches/schedules/open-occurrence.ts';
import { scheduledRunOf } from '../../../batches/schedules/scheduled-choices.ts';
import type { CacheMode } from '../../../contract/cache-modes.ts';
import { openFolderBytes } from '../../../store/folder-bytes.ts';
import { openMediaStore } from '../../../store/media-store.ts';
import { ANN } from '../../support/ann.ts';
import { freshPlace } from '../../support/place.ts';

const place = freshPlace();
const REALM = { apiUrl: 'https://api.example/api/open/v1', account: 'u1', ledgerId: 'l1' };

/** Fires this schedule, always for the same time. */
async function fire(schedule: string, cache: CacheMode): Promise<OpenedOccurrence> {
  const manifest = join(place.folder, 'lines.csv');
  await writeFile(manifest, 'id,text,voice\na,One.,v-1\n');
  const outFolder = join(place.folder, 'out');
  const settings = chooseSettings({ tuning: { cache } }, {});
  return openOccurrence({
    ledger: place.ledger,
    store: openMediaStore(openFolderBytes(place.store.folder)),
    realm: REALM,
    occurrence: { schedule, at: Date.UTC(2026, 0, 1) },
    month: null,
    out: join(outFolder, `${schedule}.2026-01-01T00-00-00Z`),
    run: scheduledRunOf(settings, { manifest, outFolder, probe: false, confirmAbove: null }),
    readBalance: async () => null,
    fetchManifest: () => Promise.reject(new Error('nothing is fetched')),
    identify: async () => new Map(),
    readVoices: () => Promise.reject(new Error('voices were read')),
  });
}

it('an occurrence whose batch an accepted copy lacks is refused where the store has its results, for it was paid for', async () => {
  const paid = 'nightly.2026-01-01T00-00-00Z-0123456789';
  await place.store.put(`${paid}/0000/1-speech-1.mp3`, 'paid');
  await place.ledger.acceptCopy(ANN);
  await place.ledger.clearDoubts(ANN);
  const refused = { type: 'refused', reason: expect.stringContaining(`has results of this batch (${paid})`) };
  expect(await fire('nightly', 'on')).toMatchObject(refused);
  expect(await place.ledger.listBatches()).toEqual([]);
  expect(await fire('other', 'on')).toMatchObject({ type: 'opened' });
  expect(await fire('nightly', 'only')).toMatchObject({ type: 'opened' });
});
