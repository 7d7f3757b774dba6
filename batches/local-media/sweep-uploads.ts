import { linkLifetimeMs, nameOfContent } from '../../contract/local-media.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import type { ChargeRecord } from '../../ledger/requests/charge-records.ts';
import { isUnresolved } from '../../policy/reconcile/in-doubt.ts';
import { hasRunningJob } from '../../policy/rows/row-machine.ts';
import { inChunks } from '../../results/in-chunks.ts';
import { UPLOADS_FOLDER, uploadKeyOf } from '../../store/local-media/upload-media.ts';
import type { Store } from '../../store/store.ts';
import { DiskSum, NO_MEDIA, type MediaSum } from '../cache/disk-sum.ts';

/** What to sweep. */
export interface SweepRequest {
  readonly ledger: Pick<Ledger, 'lockForLoading' | 'listBatches' | 'scanRows' | 'readClock'>;
  readonly store: Pick<Store, 'list' | 'measure' | 'remove' | 'urls'>;
  /** Only report what would be removed. */
  readonly isDryRun: boolean;
}

const FILES_AT_ONCE = 256;

/**
 * Removes uploaded local media that no open row needs, and no job that may still fetch them: one that is overdue or in
 * doubt, say. A row that is run again later uploads its file again, so nothing is lost as long as the file itself is
 * there. Waits for a batch that is being loaded, and holds others up meanwhile: their rows would not be seen.
 */
export async function sweepUploads({ ledger, store, isDryRun }: SweepRequest): Promise<MediaSum> {
  if (store.urls === undefined) return NO_MEDIA;
  const sum = new DiskSum();
  const unlock = await ledger.lockForLoading();
  try {
    const needed = await keysNeeded(ledger);
    for await (const keys of inChunks(store.list(UPLOADS_FOLDER), FILES_AT_ONCE))
      await sum.remove(
        store,
        keys.filter((key) => !needed.has(key)),
        isDryRun,
      );
  } finally {
    unlock();
  }
  return sum.result();
}

/** Keys of the media that rows without an outcome have, or that a job may still fetch. */
async function keysNeeded(ledger: SweepRequest['ledger']): Promise<ReadonlySet<string>> {
  const needed = new Set<string>();
  // The clock of this host may be ahead of that by which requests are recorded.
  const now = await ledger.readClock();
  for (const batch of await ledger.listBatches()) {
    const since = now - linkLifetimeMs(batch.settings);
    // Nothing was sent after it was closed.
    if (batch.closedAt !== null && batch.closedAt < since) continue;
    for await (const { row, charges } of ledger.scanRows(batch.name)) {
      const isOpen = batch.state !== 'closed' && row.outcome === null;
      if (!isOpen && !charges.some((charge) => mayFetch(charge, since))) continue;
      for (const file of Object.values(row.spec.local ?? {})) needed.add(uploadKeyOf(nameOfContent(file)));
    }
  }
  return needed;
}

/**
 * Whether the job of a request, if there is one, may run, and has a link that is good: it was made after that moment,
 * ms.
 */
function mayFetch(charge: ChargeRecord, since: number): boolean {
  return (isUnresolved(charge) || hasRunningJob(charge)) && charge.intentAt >= since;
}
