import { describe, expect, it } from '@jest/globals';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { VoicesRead } from '../../../api/voices/read-voices.ts';
import { chooseSettings } from '../../../batches/batch-settings.ts';
import { openOccurrence, type OpenedOccurrence } from '../../../batches/schedules/open-occurrence.ts';
import { scheduledRunOf } from '../../../batches/schedules/scheduled-choices.ts';
import { openFolderBytes } from '../../../store/folder-bytes.ts';
import { openMediaStore } from '../../../store/media-store.ts';
import { freshPlace } from '../../support/place.ts';

const place = freshPlace();
const REALM = { apiUrl: 'https://api.example/api/open/v1', account: 'u1', ledgerId: 'l1' };
const LIST: VoicesRead = { type: 'read', voices: new Map([['v-1', { id: 'v-1', name: 'Ada', provider: '' }]]) };

/** Fires a schedule on a manifest with this voice, at an API with this list. */
async function fire(voice: string, list: VoicesRead): Promise<OpenedOccurrence> {
  const manifest = join(place.folder, 'lines.csv');
  await writeFile(manifest, `id,text,voice\na,One.,${voice}\n`);
  const outFolder = join(place.folder, 'out');
  return openOccurrence({
    ledger: place.ledger,
    store: openMediaStore(openFolderBytes(join(place.folder, 'store'))),
    realm: REALM,
    occurrence: { schedule: 'nightly', at: Date.UTC(2026, 0, 1) },
    month: null,
    out: join(outFolder, 'nightly.2026-01-01T00-00-00Z'),
    run: scheduledRunOf(chooseSettings({}, {}), { manifest, outFolder, probe: false, confirmAbove: null }),
    readBalance: async () => null,
    fetchManifest: () => Promise.reject(new Error('nothing is fetched')),
    identify: async () => new Map(),
    readVoices: async () => list,
  });
}

describe('openOccurrence', () => {
  it('records the ids of the voices that the manifest names', async () => {
    const opened = await fire('name:ada', LIST);
    if (opened.type !== 'opened') throw new Error(opened.reason);
    expect((await place.ledger.readRow(opened.batch.name, 1))?.row.spec.voice).toBe('v-1');
  });

  it('refuses a name that no voice has, without repeating it', async () => {
    const { type, reason } = (await fire('name:Secret', LIST)) as { readonly type: string; readonly reason?: string };
    expect(type).toBe('refused');
    expect(reason).toContain("line 2: expected a voice of the API's list, by its name");
    expect(reason).not.toContain('Secret');
  });

  it('refuses names where the list cannot be read, and does not care where there are none', async () => {
    const cut: VoicesRead = { type: 'cut', why: 'The API answered 500.', voices: new Map() };
    expect(await fire('name:ada', cut)).toMatchObject({
      type: 'refused',
      reason:
        'The manifest names voices, and the list of voices cannot be read: The API answered 500. Nothing was spent.',
    });
    expect(await fire('v-9', cut)).toMatchObject({ type: 'opened' });
  });
});
