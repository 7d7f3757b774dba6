import { isOffered } from '../conditions.ts';
import type { ResultRecord } from '../record-types.ts';
import { toResult } from '../records.ts';
import type { Db, Tx } from '../schema.ts';

/** The given keys that have a result which later rows may use. */
export async function keysWithResult(db: Db, keys: readonly string[]): Promise<readonly string[]> {
  if (keys.length === 0) return [];
  const query = db.selectFrom('results').select('key').distinct().where('key', 'in', keys).where(isOffered('results'));
  const found = await query.execute();
  return found.map(({ key }) => key);
}

/** All entries with this key, oldest first. */
export async function resultNames(db: Db, key: string): Promise<readonly ResultRecord[]> {
  return namesOf(db, [key]);
}

export async function namesOf(db: Db | Tx, keys: readonly string[]): Promise<readonly ResultRecord[]> {
  const lines = await db.selectFrom('results').selectAll().where('key', 'in', keys).orderBy('made_at').execute();
  return lines.map(toResult);
}
