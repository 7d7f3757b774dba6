import type { By } from '../../contract/actions.ts';
import { nameOf, type NamedRow } from '../../contract/row-parts.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import type { BatchRecord } from '../../ledger/batches/batch-records.ts';
import type { RowSnapshot } from '../../ledger/rows/row-records.ts';
import { namedTakenJob } from '../../ledger/requests/taken-jobs.ts';
import { presentTake } from '../../policy/rows/row-machine.ts';
import type { Store } from '../../store/store.ts';
import type { FreeReads } from '../free-reads.ts';
import { hasList, lacksOnlyCheck, madeBy } from '../status/leftovers.ts';
import { adoptFile, isStoredFile } from './adopt-file.ts';
import { adoptJob } from './adopt-job.ts';
import { findUnresolved, releaseTake, settleNotCharged, type SettledRow } from './decisions.ts';
import type { SettlementPlan } from './settlement-request.ts';
import { isUnknown } from '../rows/find-rows.ts';

/** What settling needs. */
export interface SettleContext {
  readonly ledger: Ledger;
  readonly reads: FreeReads;
  /** Where stored results are that a person names in place of jobs. */
  readonly store: Pick<Store, 'folders' | 'list' | 'measure'>;
  readonly batch: BatchRecord;
  /** Who decides, for the record. */
  readonly by: By;
}

/**
 * Settles rows: first by the decisions of a person, then by looking for traces of lost requests. Yields each row once
 * it is settled or refused. Free.
 */
export async function* settle(
  { ledger, reads, store, batch, by }: SettleContext,
  { releases, notCharged, adoptions, searchFor }: SettlementPlan,
): AsyncGenerator<SettledRow, void, undefined> {
  for (const take of releases) yield releaseTake(ledger, batch.name, take, by);
  for (const take of notCharged) yield settleNotCharged(ledger, batch.name, take, by);
  const shared = { ...reads, listJobs: readOnce(reads) };
  for (const job of adoptions)
    yield isStoredFile(job.jobId)
      ? adoptFile(ledger, { reads, store }, batch, job, by)
      : adoptJob(ledger, shared, batch, job, by);
  yield* settleUnknown(ledger, reads, batch, searchFor);
}

/** Returns a `listJobs` that reads each of the API's lists only once. */
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
 * What remains to do after settling. `toPay`: rows to pay for again; none if a row was refused, because a person who
 * was wrong about one row may be wrong about the others. `changed`: `rows` if a row is open again or ended differently,
 * `sums` if only the batch's sums changed.
 */
export interface Remaining {
  readonly toPay: readonly number[];
  readonly changed: 'rows' | 'sums' | 'nothing';
}

/** Results that concern an earlier take: they change the batch's sums, but not the row. */
const OF_EARLIER_TAKES = ['charged', 'not-charged', 'doubted'] as const;

/** Returns what remains to do once these rows are settled. */
export function remainingAfter(rows: readonly SettledRow[], { again }: Pick<SettlementPlan, 'again'>): Remaining {
  const types = new Set(rows.map(({ type }) => type));
  const settled = rows.filter(({ type }) => type === 'found' || type === 'adopted' || type === 'released');
  const settledRows = new Set(settled.map(({ row }) => row));
  const withoutRows = OF_EARLIER_TAKES.some((type) => types.has(type)) ? 'sums' : 'nothing';
  return {
    toPay: types.has('refused') ? [] : again.filter((row) => !settledRows.has(row)),
    changed: settled.length > 0 ? 'rows' : withoutRows,
  };
}

/** Rows searched together: they share one reading of the API's list. */
const ROWS_PER_SEARCH = 500;

/**
 * Looks in the store and in the API's list for traces of unknown rows' requests, and settles what it finds. Free. An
 * `adopted` row is open again, so its batch needs a worker. Skips rows that do not exist.
 */
export async function* settleUnknown(
  ledger: Ledger,
  reads: Pick<FreeReads, 'recoverAnswer'>,
  batch: Pick<BatchRecord, 'name' | 'settings'>,
  rows: readonly number[],
): AsyncGenerator<SettledRow, void, undefined> {
  for (let at = 0; at < rows.length; at += ROWS_PER_SEARCH) {
    const some = rows.slice(at, at + ROWS_PER_SEARCH);
    const traces = await Promise.all(some.map((row) => traceOf(ledger, reads, batch.name, row)));
    for (const [place, row] of some.entries()) {
      const trace = traces[place];
      const found = await ledger.readRow(batch.name, row);
      if (trace === undefined || found === undefined) continue;
      if (trace.type === 'none' && isUnknown(found.row)) yield stillUnknown(found, batch.settings);
      else yield { ...settledName(found), ...(trace.type === 'none' ? { type: 'moved-on' } : trace) };
    }
  }
}

/** A row and the job of its last request. */
function settledName({ row, charges }: RowSnapshot): NamedRow & { readonly jobId: string | null } {
  const last = charges.findLast((charge) => charge.take === presentTake(row));
  return { ...nameOf(row), jobId: last?.jobId ?? null };
}

function stillUnknown(snapshot: RowSnapshot, { tts }: BatchRecord['settings']): SettledRow {
  const failure = snapshot.charges.findLast((charge) => charge.take === presentTake(snapshot.row))?.failure ?? null;
  return {
    ...settledName(snapshot),
    type: 'still-unknown',
    hasList: hasList(snapshot, tts),
    makes: madeBy(snapshot, tts),
    ...(lacksOnlyCheck(snapshot) && { lacksOnlyCheck: true }),
    ...(failure !== null && namedTakenJob(failure) && { answer: failure.message }),
  };
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
