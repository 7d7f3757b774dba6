import { linkLifetimeMs, nameOfContent } from '../../contract/local-media.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import type { ChargeRecord } from '../../ledger/requests/charge-records.ts';
import { isUnresolved } from '../../policy/reconcile/in-doubt.ts';
import { hasRunningJob } from '../../policy/rows/row-machine.ts';
import { inChunks } from '../../results/in-chunks.ts';
import { UPLOADS_FOLDER, uploadKeyOf } from '../../store/local-media/upload-media.ts';
import type { Store } from '../../store/store.ts';
import { DiskSum, NO_MEDIA, type MediaSum } from '../cache/disk-sum.ts';

/** Where to look for uploads that nothing needs. */
export interface SweepRequest {
  readonly ledger: Pick<Ledger, 'lockForLoading' | 'listBatches' | 'scanRows' | 'readClock'>;
  readonly store: Pick<Store, 'list' | 'measure' | 'remove' | 'urls'>;
  /** Only report what would be removed. */
  readonly isDryRun: boolean;
}

/** Files measured and removed per call of the store. */
const FILES_AT_ONCE = 256;

/**
 * Removes uploaded local media that neither an open row needs nor a running job (for example an overdue one) may still
 * fetch. Nothing is lost: a row that runs again uploads its file again. Holds the loading lock, because the rows of a
 * batch that is being loaded would not be seen. Returns what was removed; nothing if the store makes no links.
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

/** Returns the store keys of uploads that open rows have, or that a job may still fetch. */
async function keysNeeded(ledger: SweepRequest['ledger']): Promise<ReadonlySet<string>> {
  const needed = new Set<string>();
  // The ledger's clock, by which requests are recorded: this host's may be ahead of it.
  const now = await ledger.readClock();
  for (const batch of await ledger.listBatches()) {
    const since = now - linkLifetimeMs(batch.settings);
    // No request was sent after the batch closed, so every link has expired.
    if (batch.closedAt !== null && batch.closedAt < since) continue;
    for await (const { row, charges } of ledger.scanRows(batch.name)) {
      const isOpen = batch.state !== 'closed' && row.outcome === null;
      if (!isOpen && !charges.some((charge) => mayFetch(charge, since))) continue;
      for (const file of Object.values(row.spec.local ?? {})) needed.add(uploadKeyOf(nameOfContent(file)));
    }
  }
  return needed;
}

/** Returns whether the job of a request may run and has a link that is still valid: one made after `since`, ms. */
function mayFetch(charge: ChargeRecord, since: number): boolean {
  return (isUnresolved(charge) || hasRunningJob(charge)) && charge.intentAt >= since;
}
