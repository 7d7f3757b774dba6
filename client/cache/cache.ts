import { lookUpRow, type CachedRowView, type LookedUpRow } from '../../batches/cache/cached-row.ts';
import { pruneCache, type Pruned, type PruneWish } from '../../batches/cache/prune-cache.ts';
import type { CacheSums } from '../../ledger/cache/result-lists.ts';
import { openStore } from '../../store/open-store.ts';
import { VoxbatchError } from '../problem.ts';
import type { Session } from '../session.ts';
import { identifyMedia } from '../run/price.ts';

/** The cache where nothing was ever run. */
const EMPTY: CacheSums = { entries: 0, results: 0, bytes: 0, byBatch: [], byKind: [], byVoice: [], byAge: [] };

/** Sums over the results that later rows can reuse. */
export async function sumCache(session: Session): Promise<CacheSums> {
  try {
    return await (await session.ledger()).sumResults();
  } catch (error) {
    if (error instanceof VoxbatchError && error.problem.type === 'no-ledger') return EMPTY;
    throw error;
  }
}

/** Which results are removed, and how. */
export interface PruneOptions extends PruneWish {
  /** Only say what would be removed. Default false. */
  readonly isDryRun?: boolean;
  /** Called with what would be removed; rejects if it must not be. Default: nobody is asked. */
  readonly confirm?: (forecast: Pruned) => Promise<void>;
}

/** Removes results that were not used for long; see `batches/cache/prune-cache.ts`. */
export async function pruneHere(
  session: Session,
  { isDryRun = false, confirm, ...wish }: PruneOptions,
): Promise<Pruned> {
  const [ledger, store] = [await session.ledger(), await session.store()];
  const request = { ledger, store, wish, identify: identifyMedia };
  if (!isDryRun) await confirm?.(await pruneCache({ ...request, isDryRun: true }));
  return pruneCache({ ...request, isDryRun });
}

/** What the results of a row are known by, where they are kept, and who has them. */
export async function showCachedRow({ settings, ...session }: Session, row: LookedUpRow): Promise<CachedRowView> {
  // Claims nothing: where the store's disk is not mounted, its folder would become the store.
  const store = await openStore(settings.store, settings.env);
  try {
    return await lookUpRow(await session.ledger(), store, settings.store, row);
  } finally {
    await store.close();
  }
}
