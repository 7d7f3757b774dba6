import { takeStep, type LimiterAnswer, type LimiterStep } from '../../policy/pacing/limiter-step.ts';
import type { RateState } from '../../policy/pacing/rate.ts';
import { prepared, preparedOne } from '../database/prepared.ts';
import type { Db } from '../schema.ts';
import { write } from '../database/transactions.ts';

const selectState = preparedOne((db, { scope }: { scope: string }) =>
  db.selectFrom('limiters').select('state').where('scope', '=', scope),
);

const saveState = prepared((db, { scope, state }: { scope: string; state: string }) =>
  db
    .insertInto('limiters')
    .values({ scope, state })
    .onConflict((conflict) => conflict.column('scope').doUpdateSet((eb) => ({ state: eb.ref('excluded.state') }))),
);

/**
 * Takes a step of the limiter of that name, in one transaction; see `policy/pacing/limiter-step.ts`. A step that changes nothing
 * writes nothing.
 */
export async function updateLimiter<Step extends LimiterStep>(
  db: Db,
  scope: string,
  step: Step,
): Promise<LimiterAnswer<Step>> {
  return write(db, async (tx) => {
    const line = await selectState(tx, { scope });
    const before: unknown = line === undefined ? undefined : JSON.parse(line.state);
    const { state, result } = takeStep(before, step);
    if (state !== before) await saveState(tx, { scope, state: JSON.stringify(state) });
    return result as LimiterAnswer<Step>;
  });
}

/**
 * Consecutive pauses, by the worst of these rate limiters, since calls were last answered normally; 0: they are, or nothing was in vain since
 * that time (ms).
 */
export async function troubles(db: Db, scopes: readonly string[], since: number): Promise<number> {
  const lines = await db.selectFrom('limiters').select('state').where('scope', 'in', scopes).execute();
  const states = lines.map(({ state }) => JSON.parse(state) as RateState);
  return Math.max(0, ...states.map(({ troubles, troubledAt }) => (troubledAt < since ? 0 : troubles)));
}
