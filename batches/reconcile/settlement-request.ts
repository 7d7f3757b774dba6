import { defined } from '../../contract/defined.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import type { BatchRecord } from '../../ledger/batches/batch-records.ts';
import type { RowSnapshot } from '../../ledger/rows/row-records.ts';
import type { NamedJob } from './adopt-job.ts';
import { lastDecision } from './decisions.ts';
import { adoptableRequests } from '../../policy/reconcile/missing-requests.ts';
import { presentTake } from '../../policy/rows/row-machine.ts';
import { findRow, findTake, type RowTake, type TakeByName, unknownRows } from '../rows/find-rows.ts';
import { type NamedRow, nameOf } from '../../contract/row-parts.ts';

/**
 * What to settle in a batch, and how. A row is named by its id, or by its number if no row has that id. `ROW/TAKE`
 * names one of its takes, and `ROW#2` the second part of a row whose text is split. A row with parts stands for all its
 * unknown parts in `resubmit` and `rows`, and elsewhere for its only part that matches.
 */
export interface SettlementRequest {
  /**
   * The API's jobs of unknown rows, or of rows whose next request, or next take (`ROW/TAKE`), is not on record. In
   * place of a job: the key of a stored result that no row has.
   */
  readonly adopt?: readonly { readonly row: string; readonly job: string }[];
  /** Undo `adopt`: these rows are unknown again. */
  readonly release?: readonly string[];
  /** Earlier takes (`ROW/TAKE`) that the account shows no charge for. */
  readonly notCharged?: readonly string[];
  /** Unknown rows to pay for again, unless their requests are found. */
  readonly resubmit?: readonly string[];
  /** Unknown rows to look up. Default: all, if nothing else is asked for. */
  readonly rows?: readonly string[];
}

/** A settlement request with names resolved to row numbers. */
export interface SettlementPlan {
  readonly releases: readonly RowTake[];
  readonly notCharged: readonly RowTake[];
  readonly adoptions: readonly NamedJob[];
  /** Rows whose requests to search for traces, including those of `again`. */
  readonly searchFor: readonly number[];
  /** Rows to pay for again if no trace of their requests is found. */
  readonly again: readonly number[];
}

/** Why a settlement request cannot be carried out. `word`: the row as the person named it. */
export type RequestFault =
  | Exclude<ResolvedTake, { readonly type: 'found' }>
  /** The outcome of the row's request is known. */
  | { readonly type: 'not-unknown'; readonly word: string }
  /** A row has one job, and a job has one row. */
  | { readonly type: 'adopted-twice'; readonly what: 'row' | 'job'; readonly word: string };

/** Resolves the rows of a settlement request, or returns the first fault. Changes nothing. */
export async function planSettlement(
  ledger: Ledger,
  batch: BatchRecord,
  request: SettlementRequest,
): Promise<({ readonly type: 'found' } & SettlementPlan) | RequestFault> {
  const adoptions = await findAdoptions(ledger, batch, request.adopt ?? []);
  if (adoptions.type !== 'found') return adoptions;
  const again = await findUnknown(ledger, batch, request.resubmit ?? []);
  if (again.type !== 'found') return again;
  const releases = await findTakes(ledger, batch, request.release ?? [], isAdopted(ledger, batch.name));
  if (releases.type !== 'found') return releases;
  const notCharged = await findTakes(ledger, batch, request.notCharged ?? [], isInDoubt);
  if (notCharged.type !== 'found') return notCharged;
  const named = await findUnknown(ledger, batch, request.rows ?? []);
  if (named.type !== 'found') return named;
  // A request that names nothing is for all unknown rows.
  const isForAll = [adoptions, again, releases, notCharged, named].every(({ found }) => found.length === 0);
  const searchFor = isForAll ? await unknownRows(ledger, batch.name) : [...new Set([...again.found, ...named.found])];
  return {
    type: 'found',
    adoptions: adoptions.found,
    releases: releases.found,
    notCharged: notCharged.found,
    again: again.found,
    searchFor: searchFor.toSorted((a, b) => a - b),
  };
}

type Found<T> = { readonly type: 'found'; readonly found: readonly T[] } | RequestFault;

async function findAdoptions(
  ledger: Ledger,
  batch: BatchRecord,
  wanted: NonNullable<SettlementRequest['adopt']>,
): Promise<Found<NamedJob>> {
  const jobs: NamedJob[] = [];
  for (const { row: word, job: jobId } of wanted) {
    const named = await resolveTake(ledger, batch, word, mayGet(jobId), mayMissRequest);
    if (named.type !== 'found') return named;
    const fault = await nextTakeFault(ledger, batch.name, named, word);
    if (fault !== undefined) return fault;
    const { row, take } = named;
    if (jobs.some((one) => one.row === row && one.take === take)) return { type: 'adopted-twice', what: 'row', word };
    if (jobs.some((one) => one.jobId === jobId)) return { type: 'adopted-twice', what: 'job', word: jobId };
    jobs.push({ row, jobId, ...defined({ take }) });
  }
  return { type: 'found', found: jobs };
}

/** Returns a fault if the row never had this take, unless it is one that a restored ledger may lack. */
async function nextTakeFault(
  ledger: Ledger,
  batch: string,
  { row, take = 1 }: RowTake,
  word: string,
): Promise<RequestFault | undefined> {
  const snapshot = await ledger.readRow(batch, row);
  const takes = snapshot?.row.take ?? 1;
  if (take <= takes || (snapshot !== undefined && mayMissRequest(snapshot, take))) return undefined;
  return { type: 'no-take', word: word.replace(/\/\d+$/u, ''), take, takes };
}

/** Tests for a part in doubt, or one that has the job already: the command may be repeated after a kill. */
function mayGet(jobId: string): PartTest {
  return (part, take) => isInDoubt(part, take) || part.charges.some((charge) => charge.jobId === jobId);
}

/** Returns whether the ledger may lack a request of a part, because it was restored from an older copy. */
function mayMissRequest({ row, charges }: RowSnapshot, take: number | undefined): boolean {
  return adoptableRequests(row, charges, take).length > 0;
}

/** Tests for a part whose take has a job that a person gave to it. */
function isAdopted(ledger: Ledger, batch: string): PartTest {
  return async ({ row }, take = presentTake(row)) => {
    return lastDecision(await ledger.decisionsOf(batch, row.row), take)?.what === 'adopted';
  };
}

async function findTakes(
  ledger: Ledger,
  batch: BatchRecord,
  words: readonly string[],
  matches: PartTest,
): Promise<Found<RowTake>> {
  const takes: RowTake[] = [];
  for (const word of words) {
    const named = await resolveTake(ledger, batch, word, matches);
    if (named.type !== 'found') return named;
    takes.push(named);
  }
  return { type: 'found', found: takes };
}

async function findUnknown(ledger: Ledger, batch: BatchRecord, words: readonly string[]): Promise<Found<number>> {
  const unknown = new Set(words.length === 0 ? [] : await unknownRows(ledger, batch.name));
  const rows = new Set<number>();
  for (const word of words) {
    const row = await findRow(ledger, batch, word);
    if (row === undefined) return { type: 'no-row', word };
    const parts = await ledger.partsOf(batch.name, row);
    const lost = (parts.length === 0 ? [row] : parts.map((part) => part.row.row)).filter((one) => unknown.has(one));
    if (lost.length === 0) return { type: 'not-unknown', word };
    for (const one of lost) rows.add(one);
  }
  return { type: 'found', found: [...rows].sort((a, b) => a - b) };
}

/** The row and the take that a word names. `several-parts`: the row has parts, and more than one of them matches. */
type ResolvedTake =
  TakeByName | { readonly type: 'several-parts'; readonly word: string; readonly parts: readonly NamedRow[] };

/** Tests whether a part may be what a word names. `take`: as in the word. */
type PartTest = (part: RowSnapshot, take: number | undefined) => boolean | Promise<boolean>;

/**
 * Finds what `ROW` or `ROW/TAKE` names, as {@link findTake} does. A row with parts has no request of its own, so one of
 * its parts stands for it: tests are tried in order, and the first test that any part passes must be passed by only
 * one. If no part passes any, the result is the row itself, which then has nothing to settle.
 */
async function resolveTake(
  ledger: Ledger,
  batch: BatchRecord,
  word: string,
  ...tests: readonly PartTest[]
): Promise<ResolvedTake> {
  const named = await findTake(ledger, batch, word, tests.includes(mayMissRequest));
  if (named.type !== 'found') return named;
  const parts = await ledger.partsOf(batch.name, named.row);
  for (const matches of tests) {
    const matching: RowSnapshot[] = [];
    for (const part of parts) if (await matches(part, named.take)) matching.push(part);
    const [first, ...others] = matching;
    if (others.length > 0) return { type: 'several-parts', word, parts: matching.map(({ row }) => nameOf(row)) };
    if (first !== undefined) return { ...named, row: first.row.row };
  }
  return named;
}

/** Tests whether a take of a part, by default its present one, has a request whose outcome is unknown. */
const isInDoubt: PartTest = ({ row, charges }, take = presentTake(row)) =>
  charges.some((one) => one.take === take && one.state === 'unknown');
