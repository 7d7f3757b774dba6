import { takeStep, type LimiterAnswer, type LimiterStep } from '../../policy/pacing/limiter-step.ts';
import { prepared, preparedOne } from '../database/prepared.ts';
import type { Db } from '../schema.ts';
import { write } from '../database/transactions.ts';
import type { Operation } from '../../contract/row-kinds.ts';
import type { Account } from '../../contract/names.ts';
import type { TextLimits } from '../../contract/api-limits.ts';

/*
 * Limits that all workers of an account share: rates of calls, and lengths of texts.
 */

/** Reads the state of a rate limiter, as JSON. `scope`: its name, from `limiterScope`. */
export const selectLimiter = preparedOne((db, { scope }: { scope: string }) =>
  db.selectFrom('limiters').select('state').where('scope', '=', scope),
);

const saveState = prepared((db, { scope, state }: { scope: string; state: string }) =>
  db
    .insertInto('limiters')
    .values({ scope, state })
    .onConflict((conflict) => conflict.column('scope').doUpdateSet((eb) => ({ state: eb.ref('excluded.state') }))),
);

/**
 * Applies a step to the rate limiter of this name, in one transaction, and returns the step's answer; see
 * `policy/pacing/limiter-step.ts`. A step that changes nothing writes nothing.
 */
export async function updateLimiter<Step extends LimiterStep>(
  db: Db,
  scope: string,
  step: Step,
): Promise<LimiterAnswer<Step>> {
  return write(db, async (tx) => {
    const line = await selectLimiter(tx, { scope });
    const before: unknown = line === undefined ? undefined : JSON.parse(line.state);
    const { state, result } = takeStep(before, step);
    if (state !== before) await saveState(tx, { scope, state: JSON.stringify(state) });
    return result as LimiterAnswer<Step>;
  });
}

/**
 * Records the longest text that an operation accepts (`most`, in characters), as a refusal has just stated. Replaces
 * the known limit.
 */
export async function noteTextLimit(
  db: Db,
  { apiUrl, account }: Account,
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

/** Returns the text limits learnt at this API URL: the account's own; without `account`, the newest of any account. */
export async function textLimits(db: Db, apiUrl: string, account?: string): Promise<TextLimits> {
  let query = db.selectFrom('text_limits').selectAll().where('api_url', '=', apiUrl).orderBy('learnt_at');
  if (account !== undefined) query = query.where('account', '=', account);
  const lines = await query.execute();
  return Object.fromEntries(lines.map((line) => [line.operation, { most: line.most, learntAt: line.learnt_at }]));
}
