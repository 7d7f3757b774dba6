import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { chooseSettings } from '../../../batches/batch-settings.ts';
import {
  openOccurrence,
  type OccurrenceRequest,
  type OpenedOccurrence,
} from '../../../batches/schedules/open-occurrence.ts';
import { scheduledRunOf } from '../../../batches/schedules/scheduled-choices.ts';
import type { CacheMode } from '../../../contract/cache-modes.ts';
import { openFolderBytes } from '../../../store/folder-bytes.ts';
import { openMediaStore } from '../../../store/media-store.ts';
import type { Place } from '../../support/place.ts';

interface Firing {
  readonly schedule?: string;
  /** The voice of the only row of its manifest. */
  readonly voice?: string;
  readonly cache?: CacheMode;
  readonly readVoices?: OccurrenceRequest['readVoices'];
}

/** Fires a schedule in this place, always for the same time; if nothing else is said, no voice is looked up. */
export async function fireIn(
  { folder, ledger, store }: Place,
  { schedule = 'nightly', voice = 'v-1', cache = 'on', readVoices }: Firing,
): Promise<OpenedOccurrence> {
  const manifest = join(folder, 'lines.csv');
  await writeFile(manifest, `id,text,voice\na,One.,${voice}\n`);
  const outFolder = join(folder, 'out');
  const settings = chooseSettings({ tuning: { cache } }, {});
  return openOccurrence({
    ledger,
    store: openMediaStore(openFolderBytes(store.folder)),
    realm: { apiUrl: 'https://api.example/api/open/v1', account: 'u1', ledgerId: 'l1' },
    occurrence: { schedule, at: Date.UTC(2026, 0, 1) },
    month: null,
    out: join(outFolder, `${schedule}.2026-01-01T00-00-00Z`),
    run: scheduledRunOf(settings, { manifest, outFolder, probe: false, confirmAbove: null }),
    readBalance: async () => null,
    fetchManifest: () => Promise.reject(new Error('nothing is fetched')),
    identify: async () => new Map(),
    readVoices: readVoices ?? (() => Promise.reject(new Error('voices were read'))),
  });
}
