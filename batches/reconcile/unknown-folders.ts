import { batchOfFolder, folderPrefix, isFolderOf } from '../../contract/batch-name.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import { placeOfKey } from '../../store/layout.ts';
import type { Store } from '../../store/store.ts';

/** Max folders named in a view. */
const MAX_NAMED = 100;

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
 * Finds the folders of batches that the ledger lacks because it is a restored or copied database that a person accepted
 * as the ledger, and they were created after the copy was made. Returns none for any other ledger. `name`: only of
 * batches of this name.
 */
export async function findUnknownFolders(
  ledger: Batches,
  store: Pick<Store, 'folders' | 'list'>,
  name?: string,
): Promise<UnknownFolders> {
  const found: UnknownFolder[] = [];
  if ((await ledger.acceptedAt()) !== null) {
    const known = await knownFolders(ledger);
    for await (const folder of store.folders(name === undefined ? '' : folderPrefix(name))) {
      const batch = batchOfFolder(folder);
      if (batch === undefined || known.has(folder)) continue;
      if (name !== undefined && !isFolderOf(name, folder)) continue;
      const results = await countResults(store, folder);
      if (results > 0) found.push({ folder, batch, results });
    }
  }
  found.sort((one, other) => other.results - one.results || (one.folder < other.folder ? -1 : 1));
  const results = found.reduce((sum, one) => sum + one.results, 0);
  return { named: found.slice(0, MAX_NAMED), folders: found.length, results };
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
