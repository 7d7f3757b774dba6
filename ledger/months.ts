import { sql } from 'kysely';
import { monthRange, monthStanding, type MonthBatch, type MonthStanding } from '../policy/month-budget.ts';
import { formatOccurrence, parseOccurrence } from '../policy/occurrence.ts';
import type { MonthQuestion } from './occurrence-records.ts';
import type { Db, Tx } from './schema.ts';

/** See {@link OccurrenceMethods}. */
export async function monthSpend(db: Db | Tx, question: MonthQuestion): Promise<MonthStanding> {
  return monthStanding(question.credits, await batchesOfMonth(db, question));
}

/** The names of a schedule's batches sort by their times. */
async function batchesOfMonth(
  db: Db | Tx,
  { schedule, at, timezone, except }: MonthQuestion,
): Promise<readonly MonthBatch[]> {
  const { from, until } = monthRange(at, timezone);
  const lines = await db
    .selectFrom('batches')
    .innerJoin('sums', 'sums.batch', 'batches.name')
    .select(['name', 'state', 'charged', 'sending_quoted', 'unknown_quoted', 'promised'])
    .select(sql<number | null>`json_extract(settings, '$.budget')`.as('budget'))
    .where('name', '>=', formatOccurrence({ schedule, at: from }))
    .where('name', '<', formatOccurrence({ schedule, at: until }))
    .execute();
  return lines
    .filter(({ name }) => name !== except && parseOccurrence(name)?.schedule === schedule)
    .map((line) => ({
      spent: line.charged + line.sending_quoted + line.unknown_quoted + line.promised,
      budget: line.budget,
      isClosed: line.state === 'closed',
    }));
}
