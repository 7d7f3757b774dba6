import type { By } from '../../contract/actions.ts';
import { nameOf } from '../../contract/row-parts.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import type { BatchRecord } from '../../ledger/batches/batch-records.ts';
import { namedTakenJob } from '../../ledger/requests/taken-jobs.ts';
import { presentTake } from '../../policy/rows/row-machine.ts';
import type { FreeReads } from '../free-reads.ts';
import { hasList, lacksOnlyCheck, madeBy } from '../look/leftovers.ts';
import { adoptJob } from './adopt-job.ts';
import { findUnresolved, releaseTake, settleNotCharged, type SettledRow } from './decisions.ts';
import type { SettlementPlan } from './settlement-request.ts';
import { isUnknown } from '../rows/find-rows.ts';

/** What settling needs. */
export interface SettleContext {
  readonly ledger: Ledger;
  readonly reads: FreeReads;
  readonly batch: BatchRecord;
  /** Whose decisions they are, for the record. */
  readonly by: By;
}

/** Settles rows, first those that a person decided. Yields each row once it is settled or refused. Free. */
export async function* settle(
  { ledger, reads, batch, by }: SettleContext,
  { releases, notCharged, adoptions, searchFor }: SettlementPlan,
): AsyncGenerator<SettledRow, void, undefined> {
  for (const take of releases) yield releaseTake(ledger, batch.name, take, by);
  for (const take of notCharged) yield settleNotCharged(ledger, batch.name, take, by);
  const shared = { ...reads, listJobs: readOnce(reads) };
  for (const job of adoptions) yield adoptJob(ledger, shared, batch, job, by);
  yield* settleUnknown(ledger, reads, batch, searchFor);
}

/** Reads each list of jobs once. */
function readOnce(reads: Pick<FreeReads, 'listJobs'>): FreeReads['listJobs'] {
  const lists = new Map<string, ReturnType<FreeReads['listJobs']>>();
  return (batch, list) => {
    const key = `${list.dialect} ${list.operation}`;
    const found = lists.get(key) ?? reads.listJobs(batch, list);
    lists.set(key, found);
    return found;
  };
}

/**
 * What remains after settling. `toPay`: rows to pay for again; none if a row was refused, because a person who was
 * wrong about one row may be wrong about the others. `changed`: `rows` are open again or ended differently; `sums`:
 * only the batch's sums changed.
 */
export interface Remaining {
  readonly toPay: readonly number[];
  readonly changed: 'rows' | 'sums' | 'nothing';
}

const OF_EARLIER_TAKES = ['charged', 'not-charged', 'doubted'] as const;

/** Decides what remains once these rows are settled. */
export function remainingAfter(rows: readonly SettledRow[], { again }: Pick<SettlementPlan, 'again'>): Remaining {
  const types = new Set(rows.map(({ type }) => type));
  const settled = rows.filter(({ type }) => type === 'found' || type === 'adopted' || type === 'released');
  const settledRows = new Set(settled.map(({ row }) => row));
  return {
    toPay: types.has('refused') ? [] : again.filter((row) => !settledRows.has(row)),
    // The charge of an earlier take changes the batch's sums, but not its row.
    changed: settled.length > 0 ? 'rows' : OF_EARLIER_TAKES.some((type) => types.has(type)) ? 'sums' : 'nothing',
  };
}

/** Rows to look up together: they share one reading of the API's list. */
const ROWS_A_LOOK = 500;

/**
 * Looks again in the store and in the API's list for traces of unknown rows' requests, and settles what it finds. Free.
 * An `adopted` row is open again, so its batch needs a worker. Skips rows that do not exist.
 */
export async function* settleUnknown(
  ledger: Ledger,
  reads: Pick<FreeReads, 'recoverAnswer'>,
  batch: Pick<BatchRecord, 'name' | 'settings'>,
  rows: readonly number[],
): AsyncGenerator<SettledRow, void, undefined> {
  for (let at = 0; at < rows.length; at += ROWS_A_LOOK) {
    const some = rows.slice(at, at + ROWS_A_LOOK);
    const traces = await Promise.all(some.map((row) => traceOf(ledger, reads, batch.name, row)));
    for (const [place, row] of some.entries()) {
      const trace = traces[place];
      const found = await ledger.readRow(batch.name, row);
      if (trace === undefined || found === undefined) continue;
      const last = found.charges.findLast((charge) => charge.take === presentTake(found.row));
      const facts = { ...nameOf(found.row), jobId: last?.jobId ?? null };
      if (trace.type !== 'none') yield { ...facts, ...trace };
      else if (!isUnknown(found.row)) yield { ...facts, type: 'moved-on' };
      else {
        const { tts } = batch.settings;
        const only = lacksOnlyCheck(found) ? { lacksOnlyCheck: true as const } : {};
        const failure = last?.failure ?? null;
        const answer = failure !== null && namedTakenJob(failure) ? { answer: failure.message } : {};
        const about = { hasList: hasList(found, tts), makes: madeBy(found, tts), ...only, ...answer };
        yield { ...facts, type: 'still-unknown', ...about };
      }
    }
  }
}

async function traceOf(
  ledger: Ledger,
  reads: Pick<FreeReads, 'recoverAnswer'>,
  batch: string,
  row: number,
): ReturnType<FreeReads['recoverAnswer']> {
  const attempt = await findUnresolved(ledger, batch, row);
  return attempt?.state === 'unknown' ? reads.recoverAnswer(attempt) : { type: 'none' };
}
