import type { Db } from '../schema.ts';
import { keepFact, readFact, setFact } from './facts.ts';
import { write } from './transactions.ts';

/**
 * The fact that names the store of a ledger, by the random id in the store. Batches name their files by row, wherever they
 * lie, so results in two stores would be missed in each of them.
 */
const STORE_FACT = 'store';

/** The id of the ledger's store; undefined if none is on record yet. */
export async function storeId(db: Db): Promise<string | undefined> {
  return readFact(db, STORE_FACT);
}

/** Makes a store the ledger's, unless it has one. Returns the id of the one that it has. */
export async function recordStore(db: Db, id: string): Promise<string> {
  return write(db, async (tx) => {
    await keepFact(tx, STORE_FACT, id);
    return (await readFact(tx, STORE_FACT)) ?? id;
  });
}

/** Makes a store the ledger's in place of the one that it had: a person has confirmed that the former is lost. */
export async function replaceStore(db: Db, id: string): Promise<void> {
  await write(db, (tx) => setFact(tx, STORE_FACT, id));
}
