import type { Ledger } from '../../ledger/ledger.ts';
import { openDatabase } from '../../ledger/open-ledger.ts';
import { openPostgresDatabase } from '../support/postgres-ledger.ts';
import type { Db } from '../../ledger/schema.ts';

/** Looks at, or changes, what the interface of a ledger does not show, in whichever database it is. */
export async function inside<T>({ place }: Pick<Ledger, 'place'>, work: (db: Db) => Promise<T>): Promise<T> {
  const { db } = await (place.startsWith('postgres:')
    ? openPostgresDatabase(place)
    : openDatabase({ place, mustExist: true }));
  try {
    return await work(db);
  } finally {
    await db.destroy();
  }
}
