import { takeStep, type LimiterAnswer, type LimiterStep } from '../workflows/policy/limiter-step.ts';
import { write, type Db } from './schema.ts';

/** See {@link Ledger.updateLimiter}. A step that changes nothing writes nothing. */
export async function updateLimiter<Step extends LimiterStep>(
  db: Db,
  scope: string,
  step: Step,
): Promise<LimiterAnswer<Step>> {
  return write(db, async (tx) => {
    const line = await tx.selectFrom('limiters').select('state').where('scope', '=', scope).executeTakeFirst();
    const before: unknown = line === undefined ? undefined : JSON.parse(line.state);
    const { state, result } = takeStep(before, step);
    if (state !== before) {
      const json = JSON.stringify(state);
      await tx
        .insertInto('limiters')
        .values({ scope, state: json })
        .onConflict((conflict) => conflict.column('scope').doUpdateSet({ state: json }))
        .execute();
    }
    return result as LimiterAnswer<Step>;
  });
}
