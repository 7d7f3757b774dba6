import { sql } from 'kysely';
import { monthRange, monthSpendOf, type MonthBatch, type MonthSpend } from '../../policy/schedules/month-budget.ts';
import { formatOccurrence, parseOccurrence } from '../../policy/schedules/occurrence.ts';
import type { MonthQuestion } from './occurrence-records.ts';
import type { Db, Tx } from '../schema.ts';

/** Returns a schedule's spend in a calendar month, and the rest of its monthly budget. */
export async function monthSpend(db: Db | Tx, question: MonthQuestion): Promise<MonthSpend> {
  return monthSpendOf(question.credits, await batchesOfMonth(db, question));
}

/**
 * SQL expression for the credits that a batch's given-up rows would need for their later steps. Such a row has ended
 * and reserves nothing, but a late answer reopens it without another check of the monthly budget.
 */
const PROMISED_IN_DOUBT = sql<number>`case when sums.unknown = 0 then 0 else coalesce((
  select sum(promised) from rows where rows.batch = batches.name and rows.outcome is not null
    and rows.row in (select row from charges where charges.batch = batches.name and charges.state = 'unknown')
), 0) end`;

/** Reads the schedule's batches of a month: their names sort by time. */
async function batchesOfMonth(
  db: Db | Tx,
  { schedule, at, timezone, except }: MonthQuestion,
): Promise<readonly MonthBatch[]> {
  const { from, until } = monthRange(at, timezone);
  const lines = await db
    .selectFrom('batches')
    .innerJoin('sums', 'sums.batch', 'batches.name')
    .select(['name', 'state', 'budget', 'charged', 'sending_quoted', 'unknown_quoted', 'promised'])
    .select(PROMISED_IN_DOUBT.as('in_doubt'))
    .where('name', '>=', formatOccurrence({ schedule, at: from }))
    .where('name', '<', formatOccurrence({ schedule, at: until }))
    .execute();
  return lines
    .filter(({ name }) => name !== except && parseOccurrence(name)?.schedule === schedule)
    .map((line) => ({
      spent: line.charged + line.sending_quoted + line.unknown_quoted + line.promised + line.in_doubt,
      budget: line.budget,
      isClosed: line.state === 'closed',
    }));
}
