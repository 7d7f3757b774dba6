import type { Operation } from '../../contract/row-kinds.ts';
import type { Realm } from '../../contract/names.ts';
import type { TextLimits } from '../../contract/text-limits.ts';
import type { Db } from '../schema.ts';
import { write } from '../database/transactions.ts';

/** Records the longest text that an operation takes, characters, as a refusal of now says. It replaces what was known. */
export async function noteTextLimit(
  db: Db,
  { apiUrl, account }: Pick<Realm, 'apiUrl' | 'account'>,
  operation: Operation,
  most: number,
): Promise<void> {
  const values = { api_url: apiUrl, account, operation, most, learnt_at: db.now() };
  await write(db, (tx) =>
    tx
      .insertInto('text_limits')
      .values(values)
      .onConflict((conflict) => conflict.columns(['api_url', 'account', 'operation']).doUpdateSet(values))
      .execute(),
  );
}

/** The limits that were learnt at this address of an API: those of the account, or the newest ones of any account. */
export async function textLimits(db: Db, apiUrl: string, account?: string): Promise<TextLimits> {
  let query = db.selectFrom('text_limits').selectAll().where('api_url', '=', apiUrl).orderBy('learnt_at');
  if (account !== undefined) query = query.where('account', '=', account);
  const lines = await query.execute();
  return Object.fromEntries(lines.map((line) => [line.operation, { most: line.most, learntAt: line.learnt_at }]));
}
