import type { Step } from '../../contract/operations.ts';
import { type NamedRow, nameOf, wholeId } from '../../contract/row-parts.ts';
import type { BillSummary } from '../../inputs/money/bill.ts';
import type { RowSnapshot } from '../../ledger/rows/row-records.ts';
import type { ReturnRefusal } from '../../policy/redrive/earlier-take.ts';
import type { RedrivePlan } from '../../policy/redrive/redrive.ts';
import type { ForgottenResult } from '../reconcile/forgotten-results.ts';
import type { FoundRow } from './selection.ts';

/** A row that a redrive refuses, and why. */
export interface RefusedRow extends NamedRow {
  readonly why: Extract<RedrivePlan, { type: 'refuse' }>['why'];
  readonly step: Step;
  /** Why the row cannot go back to an earlier take. */
  readonly because?: ReturnRefusal;
  /** The take, left by the row since, whose job has a result that can still be fetched. */
  readonly leftTake?: number;
  /** With `stored`: the results of the row that the store has. */
  readonly stored?: ForgottenResult | undefined;
}

/** A row whose result is replaced. `isEdited`: because the file changes the row's input. */
export interface ReplacedRow extends NamedRow {
  readonly isEdited: boolean;
  /** The row's stored file is lost, and cannot be fetched again free. Default false. */
  readonly isLost?: true;
}

/** Max replaced rows kept; further ones are only counted. */
const MAX_REPLACED_KEPT = 20;

/** Max refused rows kept; further ones are only counted. */
const MAX_REFUSED_KEPT = 1_000;

/** Counts what a redrive will do, in rows, and keeps the first of the rows to name. Filled by `RedriveDraft`. */
export class RedriveTally {
  /** Rows with something to do. */
  count = 0;
  /** Parts of these rows with something to do. */
  parts = 0;
  /** The first refused rows. */
  readonly refused: RefusedRow[] = [];
  /** How many rows are refused, by reason; a part counts as a row. */
  readonly refusedFor = new Map<RefusedRow['why'], number>();
  /** How many of the refused rows are parts. */
  refusedParts = 0;
  /** Rows that are paid for again, by the first paid step. */
  readonly pays = new Map<Step, number>();
  /** Rows whose job is waited for again. */
  waits = 0;
  /** Of these, rows with parts that are only joined again. */
  joins = 0;
  /** Rows with a result whose lost texts are stored again, without the API. */
  rewritten = 0;
  /** Rows with edits that no step reads: the edits would be lost, because only a new take has its own input. */
  untaken = 0;
  /** Edited rows that are left alone: their edits are only in the file. */
  leftEdited = 0;
  /** Of these, rows that have not ended, with edits that a step reads: they go on as they were before the edit. */
  openEdited = 0;
  /** Rows whose result is accepted as it is. */
  accepts = 0;
  /** Of these, rows that go back to the result of an earlier take. */
  returns = 0;
  /** Of these, rows whose file is fetched first, because it is lost or was never fetched. */
  refetched = 0;
  /** Of the accepted rows, those with remaining steps, or whose file is fetched first: they are open again. */
  opened = 0;
  /** Rows left alone, by reason: still open; have a result; have no `unfit` result to accept. */
  readonly left = { open: 0, 'has-result': 0, 'no-unfit': 0 };
  /** Rows with a result that will be replaced, as a whole or in part. */
  replaced = 0;
  /** Of these, rows whose stored file is lost, and cannot be fetched again free. */
  lost = 0;
  /** The first rows whose results will be replaced. */
  readonly firstReplaced: ReplacedRow[] = [];
  /** Rows that will cost something and that `--limit` or `--sample` left out. */
  notChosen = 0;
  /** Rows that may be charged a second time for one result. */
  resubmitted = 0;
  /** Rows that will cost something. */
  paying = 0;
  /** Rows that were not chosen, but resume with the chosen rows that make their voices. They are in the bill. */
  dependents = 0;
  /** Whether part of the bill is estimated. */
  isEstimate = false;

  /** For rows with parts: what each row was already counted as. */
  readonly #counted = new Set<string>();

  /** Counts a row whose result is replaced. */
  protected replace({ scanned: { row }, edit, lost }: FoundRow): void {
    if (lost !== undefined) this.lost += this.one('lost', row);
    if (this.one('replaced', row) === 0) return;
    this.replaced++;
    if (this.firstReplaced.length >= MAX_REPLACED_KEPT) return;
    const whole = row.partOf === null ? nameOf(row) : { row: row.partOf, id: wholeId(row.id) };
    const isLost = lost === undefined ? {} : { isLost: true as const };
    this.firstReplaced.push({ ...whole, isEdited: edit !== null, ...isLost });
  }

  /** Counts a refused row. */
  protected refuse(row: RefusedRow): void {
    this.refusedFor.set(row.why, (this.refusedFor.get(row.why) ?? 0) + 1);
    if ((row.partOf ?? null) !== null) this.refusedParts++;
    if (this.refused.length < MAX_REFUSED_KEPT) this.refused.push(row);
  }

  /** Returns 1 if the row is to be counted as `what`; 0 for a further part of a row that already is. */
  protected one(what: string, { partOf }: RowSnapshot['row']): 0 | 1 {
    if (partOf === null) return 1;
    const key = `${what} ${String(partOf)}`;
    if (this.#counted.has(key)) return 0;
    this.#counted.add(key);
    return 1;
  }
}

/** What a redrive will do and cost, before anything is done. */
export type RedriveForecast = Readonly<Pick<RedriveTally, keyof RedriveTally>> & {
  /** What the chosen rows will cost, in credits. */
  readonly bill: BillSummary;
};
