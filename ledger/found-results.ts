import type { AttemptKey } from '../contract/batch.ts';
import { makingOf, type MakingAttempt } from './making.ts';
import { prepared } from './prepared.ts';
import type { ResultRecord } from './record-types.ts';
import { toResult } from './records.ts';
import type { Db, Tx } from './schema.ts';
import { look } from './transactions.ts';

/**
 * The results with these keys, at most three of each, the newest first. A key is a digest of the API's address and
 * the account too, so no other account's results are among them.
 */
export async function findResults(db: Db, keys: readonly string[]): Promise<readonly ResultRecord[]> {
  return look(db, async (tx) => {
    const found: ResultRecord[] = [];
    for (const key of keys) found.push(...(await resultsOf(tx, key)));
    return found;
  });
}

/**
 * What an intent with this key would find in place of its request: results, or another row's request that may bring
 * one, except those of `passOver`.
 */
export async function lookForResult(
  db: Db,
  own: AttemptKey,
  key: string,
  passOver: readonly AttemptKey[],
): Promise<{ readonly results: readonly ResultRecord[]; readonly by: MakingAttempt | undefined }> {
  return look(db, async (tx) => ({ results: await resultsOf(tx, key), by: await makingOf(tx, key, own, passOver) }));
}

const selectResults = prepared((db, { key }: { key: string }) =>
  db.selectFrom('results').selectAll().where('key', '=', key).orderBy('made_at', 'desc').limit(3),
);

/** The newest results with this key. */
export async function resultsOf(tx: Tx, key: string): Promise<readonly ResultRecord[]> {
  return (await selectResults(tx, { key })).map(toResult);
}
