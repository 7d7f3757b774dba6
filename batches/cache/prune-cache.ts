import type { By } from '../../contract/actions.ts';
import { reusesResults } from '../../contract/cache-modes.ts';
import { stepsIn } from '../../contract/row-kinds.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import type { BatchRecord } from '../../ledger/batches/batch-records.ts';
import { inChunks } from '../../results/in-chunks.ts';
import type { Store } from '../../store/store.ts';
import { DiskSum, type MediaSum } from './disk-sum.ts';
import type { IdentifyMedia } from './media-identities.ts';
import { keysOfRows, type KeySources } from './result-keys.ts';

/** Which results to remove: those that match either condition. None if both are omitted. */
export interface PruneCriteria {
  /** Remove results not used for this long, ms. */
  readonly olderThanMs?: number;
  /** Keep the most recently used results, up to this many bytes. */
  readonly keepBytes?: number;
}

/** How to prune the cache. */
export interface PruneRequest {
  readonly ledger: Pick<
    Ledger,
    | 'lockForLoading'
    | 'listBatches'
    | 'findResults'
    | 'scanRows'
    | 'usedBeyond'
    | 'resultsUnused'
    | 'pruneResults'
    | 'readClock'
  >;
  readonly store: Pick<Store, 'measure' | 'remove'>;
  readonly criteria: PruneCriteria;
  readonly identify: IdentifyMedia;
  /** Who requested it, for the ledger's record. */
  readonly by: By;
  /** Only report what would be removed. */
  readonly isDryRun?: boolean;
}

/** What was removed. */
export interface Pruned {
  readonly results: number;
  readonly media: MediaSum;
  /** Matching results that stay, because an open batch has them or will look for them. */
  readonly needed: number;
}

/** Results read and removed per round. */
const RESULTS_AT_ONCE = 200;
/** Rows whose cache keys are computed together. */
const ROWS_AT_ONCE = 500;

/**
 * Removes results that have not been used recently: their cache entries, and their files in the store in all batches
 * that have them. Those batches' bills and out folders stay, as do results that an open batch has or will look for.
 * Waits for a batch that is being loaded, because its missing rows could not be looked up.
 *
 * Files are removed first: an entry without a file is detected and dropped by a row or by the next prune.
 */
export async function pruneCache(request: PruneRequest): Promise<Pruned> {
  const { ledger, store, isDryRun = false } = request;
  const open = await openBatches(ledger);
  const isOpen = new Set(open.map(({ name }) => name));
  const wanted = await keysWanted(open, request);
  const sum = new DiskSum();
  let results = 0;
  let needed = 0;
  const before = await pruneCutoff(request);
  let after = '';
  for (;;) {
    const some = before === null ? [] : await ledger.resultsUnused(before, after, RESULTS_AT_ONCE);
    const last = some.at(-1)?.[0];
    if (last === undefined) break;
    after = last.key;
    const gone = some.filter((entries) => entries.every(({ batch, key }) => !isOpen.has(batch) && !wanted.has(key)));
    results += gone.length;
    needed += some.length - gone.length;
    const keys = gone.flat().flatMap(({ file, extraFiles }) => [file, ...extraFiles].map(({ key }) => key));
    await sum.remove(store, keys, isDryRun);
    if (!isDryRun) await ledger.pruneResults(gone.flat(), request.by);
  }
  return { results, needed, media: sum.result() };
}

/** Reads the open batches. Holds the loading lock, so that each of them has all its rows. */
async function openBatches(ledger: PruneRequest['ledger']): Promise<readonly BatchRecord[]> {
  const unlock = await ledger.lockForLoading();
  try {
    return (await ledger.listBatches()).filter(({ state }) => state !== 'closed');
  } finally {
    unlock();
  }
}

/** Returns the time, ms since 1970, up to which results were last used that are to be removed; null removes none. */
async function pruneCutoff({ ledger, criteria }: PruneRequest): Promise<number | null> {
  const { olderThanMs, keepBytes } = criteria;
  const byAge = olderThanMs === undefined ? null : (await ledger.readClock()) - olderThanMs;
  const bySize = keepBytes === undefined ? null : await ledger.usedBeyond(keepBytes);
  return byAge === null || bySize === null ? (byAge ?? bySize) : Math.max(byAge, bySize);
}

/** Returns the cache keys that open rows of these batches will look for. */
async function keysWanted(
  open: readonly BatchRecord[],
  { identify, ledger }: PruneRequest,
): Promise<ReadonlySet<string>> {
  const keys = new Set<string>();
  for (const batch of open) {
    if (!reusesResults(batch.settings.cache)) continue;
    const sources: KeySources = { identify, findResults: (wanted) => ledger.findResults(wanted) };
    for await (const rows of inChunks(ledger.scanRows(batch.name, { isOpen: true }), ROWS_AT_ONCE)) {
      const all = rows.map(({ row: { spec } }) => ({ spec, steps: stepsIn(spec) }));
      for (const ofRow of (await keysOfRows(batch, all, sources)).values())
        for (const key of ofRow.values()) keys.add(key);
    }
  }
  return keys;
}
