import { lookUpRow, type CachedRowView, type LookedUpRow } from '../../batches/cache/cached-row.ts';
import { pruneCache, type Pruned, type PruneCriteria } from '../../batches/cache/prune-cache.ts';
import type { MediaSum } from '../../batches/cache/disk-sum.ts';
import { sweepUploads } from '../../batches/local-media/sweep-uploads.ts';
import type { CacheSums } from '../../ledger/cache/cache-sums.ts';
import { openStore } from '../../store/open-store.ts';
import { VoxbatchError } from '../problem.ts';
import { byPerson } from '../history/by-person.ts';
import type { Session } from '../session.ts';
import { identifyMedia } from '../run/price.ts';

/** The cache if there is no ledger yet. */
const EMPTY: CacheSums = { entries: 0, results: 0, bytes: 0, byBatch: [], byKind: [], byVoice: [], byAge: [] };

/** Sums up the results that later rows can reuse. Without a ledger, all sums are 0. */
export async function sumCache(session: Session): Promise<CacheSums> {
  try {
    return await (await session.ledger()).sumResults();
  } catch (error) {
    if (error instanceof VoxbatchError && error.problem.type === 'no-ledger') return EMPTY;
    throw error;
  }
}

/** Which results to remove, and how. */
export interface PruneOptions extends PruneCriteria {
  /** Only report what would be removed. Default: false. */
  readonly isDryRun?: boolean;
  /** Why, for the record. */
  readonly reason?: string | undefined;
  /** Called with the forecast before anything is removed; rejects to cancel. Default: no confirmation. */
  readonly confirm?: (forecast: PrunedAll) => Promise<void>;
}

/** What was removed: results, and uploaded local media that no open row needs. */
export interface PrunedAll extends Pruned {
  readonly uploads: MediaSum;
}

/**
 * Removes results that have not been used recently (see `batches/cache/prune-cache.ts`), and uploaded local media that
 * no open row needs (`batches/local-media/sweep-uploads.ts`).
 */
export async function pruneCacheAndUploads(
  session: Session,
  { isDryRun = false, reason, confirm, ...criteria }: PruneOptions,
): Promise<PrunedAll> {
  const [ledger, store] = [await session.ledger(), await session.store()];
  const request = { ledger, store, criteria, identify: identifyMedia, by: byPerson(session.settings, reason) };
  const prune = async (isForecast: boolean): Promise<PrunedAll> => ({
    ...(await pruneCache({ ...request, isDryRun: isForecast })),
    uploads: await sweepUploads({ ledger, store, isDryRun: isForecast }),
  });
  if (!isDryRun && confirm !== undefined) await confirm(await prune(true));
  return prune(isDryRun);
}

/** Looks up the cache keys of a row's results, where the results are stored, and which rows share them. */
export async function showCachedRow({ settings, ...session }: Session, row: LookedUpRow): Promise<CachedRowView> {
  // Does not claim the store: if its disk is not mounted, the empty mount point would become the store.
  const store = await openStore(settings.store, settings.env);
  try {
    return await lookUpRow(await session.ledger(), store, settings.store, row);
  } finally {
    await store.close();
  }
}
