import { OUTCOMES, ROW_STATES, type Outcome, type RowState } from '../contract/outcomes.ts';
import type { Counts, Money } from './record-types.ts';
import { look, type Db } from './schema.ts';

/** Rows of the batch by outcome and, for open ones, by state. */
export async function countRows(db: Db, batch: string): Promise<Counts> {
  return look(db, async (tx) => {
    const ended = await tx
      .selectFrom('rows')
      .select((eb) => ['outcome', eb.fn.countAll<number>().as('n')])
      .where('batch', '=', batch)
      .where('outcome', 'is not', null)
      .groupBy('outcome')
      .execute();
    const open = await tx
      .selectFrom('rows')
      .select((eb) => ['state', eb.fn.countAll<number>().as('n')])
      .where('batch', '=', batch)
      .where('outcome', 'is', null)
      .groupBy('state')
      .execute();
    const outcomes = zeros<Outcome>(OUTCOMES);
    const states = zeros<RowState>(ROW_STATES);
    let total = 0;
    for (const { outcome, n } of ended) {
      if (outcome !== null) outcomes[outcome] = n;
      total += n;
    }
    for (const { state, n } of open) {
      states[state] = n;
      total += n;
    }
    return { total, states, outcomes };
  });
}

/** What the batch has cost, is about to cost and may have cost. Sums over no charges are 0. */
export async function sumMoney(db: Db, batch: string): Promise<Money> {
  const sums = await db
    .selectFrom('charges')
    .select((eb) => [
      'state',
      'charged_from',
      eb.fn.sum<number | null>('charged').as('charged'),
      eb.fn.sum<number | null>('quoted').as('quoted'),
    ])
    .where('batch', '=', batch)
    .groupBy(['state', 'charged_from'])
    .execute();
  const { promised } = await db
    .selectFrom('rows')
    .select((eb) => eb.fn.sum<number | null>('promised').as('promised'))
    .where('batch', '=', batch)
    .where('outcome', 'is', null)
    .where('promised', '>', 0)
    .executeTakeFirstOrThrow();
  let charged = 0;
  let reserved = promised ?? 0;
  let uncertain = 0;
  let estimated = false;
  for (const sum of sums) {
    charged += sum.charged ?? 0;
    if (sum.state === 'sending') reserved += sum.quoted ?? 0;
    if (sum.state === 'unknown') uncertain += sum.quoted ?? 0;
    const isTaken = sum.state === 'accepted' || sum.state === 'done';
    estimated ||= sum.state === 'sending' || sum.state === 'unknown' || (isTaken && sum.charged_from !== 'api');
  }
  return { charged, reserved, uncertain, estimated };
}

function zeros<Name extends string>(names: readonly Name[]): Record<Name, number> {
  return Object.fromEntries(names.map((name) => [name, 0])) as Record<Name, number>;
}
