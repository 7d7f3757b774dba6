import { batchOfFolder, folderPrefix, isFolderOf } from '../../contract/batch-name.ts';
import type { ManifestWarning } from '../../contract/manifest-problems.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import { StoreUnwritable } from '../../store/errors.ts';
import { placeOfKey } from '../../store/layout.ts';
import { foldersIn } from '../../store/open-store.ts';
import type { Store } from '../../store/store.ts';
import type { Settings } from '../settings.ts';

/** Max folders named in a view, and in a warning. */
const MOST_NAMED = 100;
const MOST_IN_WARNING = 3;

/** A folder in the store whose batch the ledger lacks. */
export interface UnknownFolder {
  readonly folder: string;
  /** The batch's name, or its beginning if the name is long. */
  readonly batch: string;
  /** Results of paid requests in it. */
  readonly results: number;
}

/** All folders whose batches the ledger lacks. */
export interface UnknownFolders {
  /** The hundred with the most results. */
  readonly named: readonly UnknownFolder[];
  /** Number of such folders. */
  readonly folders: number;
  /** Number of results in all of them. */
  readonly results: number;
}

type Batches = Pick<Ledger, 'acceptedAt' | 'listBatches'>;

/**
 * Finds the folders of batches that the ledger lacks because it is an accepted copy, and they were created after the
 * copy was made. Returns none for a ledger that is not a copy.
 */
export async function findUnknownFolders(
  ledger: Batches,
  store: Pick<Store, 'folders' | 'list'>,
): Promise<UnknownFolders> {
  const found: UnknownFolder[] = [];
  if ((await ledger.acceptedAt()) !== null) {
    const known = await knownFolders(ledger);
    for await (const folder of store.folders('')) {
      const batch = batchOfFolder(folder);
      if (batch === undefined || known.has(folder)) continue;
      const results = await countResults(store, folder);
      if (results > 0) found.push({ folder, batch, results });
    }
  }
  found.sort((one, other) => other.results - one.results || (one.folder < other.folder ? -1 : 1));
  const results = found.reduce((sum, one) => sum + one.results, 0);
  return { named: found.slice(0, MOST_NAMED), folders: found.length, results };
}

/**
 * Warns about a new batch if the store has results of a batch of the same name that the ledger, an accepted copy,
 * lacks. Returns no warning if the store cannot be used: the run itself reports that.
 */
export async function unknownFolderWarnings(
  ledger: Batches & Pick<Ledger, 'findBatch'>,
  name: string,
  { store, env }: Pick<Settings, 'store' | 'env'>,
): Promise<readonly ManifestWarning[]> {
  const batch = await ledger.findBatch(name);
  if (batch !== undefined && batch.state !== 'loading') return [];
  const there = await foldersIn(store, folderPrefix(name), env).catch((error: unknown) => {
    if (error instanceof StoreUnwritable) return [];
    throw error;
  });
  const known = await knownFolders(ledger);
  const unknown = there.filter((folder) => isFolderOf(name, folder) && !known.has(folder)).toSorted();
  return unknown.length === 0 ? [] : [{ line: 0, column: '', rows: null, message: warningFor(name, unknown) }];
}

function warningFor(name: string, unknown: readonly string[]): string {
  const named = `${unknown.slice(0, MOST_IN_WARNING).join(', ')}${unknown.length > MOST_IN_WARNING ? ', …' : ''}`;
  return (
    `the store has results of another batch of the name "${name}" (${named}), which this ledger does not know: it is a copy that was accepted, ` +
    `made before that batch was begun. Rows whose result is there are paid for again. How many there are: voxbatch ledger compare-store`
  );
}

/** The folders of all batches in the ledger. */
async function knownFolders(ledger: Pick<Ledger, 'listBatches'>): Promise<ReadonlySet<string>> {
  return new Set((await ledger.listBatches()).map(({ layout }) => layout.stem));
}

/** Counts the results in a folder; files of the same request count once. */
async function countResults(store: Pick<Store, 'list'>, folder: string): Promise<number> {
  const results = new Set<string>();
  for await (const key of store.list(folder)) {
    const place = placeOfKey(key);
    if (place !== undefined) results.add([place.row, place.step, place.take].join(' '));
  }
  return results.size;
}
