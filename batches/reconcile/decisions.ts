import type { By } from '../../contract/actions.ts';
import type { ChargeRecord } from '../../ledger/requests/charge-records.ts';
import type { DecisionRecord } from '../../ledger/requests/decision-records.ts';
import type { RowSnapshot } from '../../ledger/rows/row-records.ts';
import { LedgerMisuse } from '../../ledger/errors.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import { isUnresolved } from '../../policy/reconcile/in-doubt.ts';
import { presentTake } from '../../policy/rows/row-machine.ts';
import type { RowTake } from '../rows/find-rows.ts';
import { nameOf, type NamedRow } from '../../contract/row-parts.ts';
import { defined } from '../../contract/defined.ts';
import { stepsIn, type Kind, type Step } from '../../contract/row-kinds.ts';
import type { Made } from '../status/leftovers.ts';

/** A person's decisions about requests of unknown outcome: their results and refusals, and how they are taken back. */

/** Why a row was not changed. `words`: the message of the API or of the ledger. */
export type SettleRefusal =
  /** A person gave the row another job, which must be taken back first (`--release`). */
  | {
      readonly type: 'adopted-before';
      readonly jobId: string;
      readonly batch: string;
      readonly take?: number;
      /** The row waits for that job's result, and then needs a job for a later step, which may be the named one. */
      readonly hasLaterStep?: true;
    }
  /**
   * Neither the row nor the named take has a request of unknown outcome, or one that may be missing from the ledger.
   */
  | { readonly type: 'not-in-doubt' | 'take-not-in-doubt' }
  /** Its request has no answer yet. */
  | { readonly type: 'in-flight' }
  /** A request of this step creates no job, so the row cannot get one. */
  | { readonly type: 'makes-no-job'; readonly step: Step; readonly kind: Kind }
  | { readonly type: 'no-such-job'; readonly step: Step; readonly words: string }
  | { readonly type: 'job-unreadable'; readonly words: string }
  /** The API lists the job with links that are not those of the row. */
  | { readonly type: 'other-inputs' }
  /** Another row has the job, or another take of this row. */
  | { readonly type: 'job-taken'; readonly by: NamedRow & { readonly batch: string } }
  /**
   * A stored file that was named in place of a job is of another row, step, take or batch, or is not there; or a later
   * step needs the job that made it.
   */
  | { readonly type: 'other-file' | 'no-file' | 'needs-job' }
  /** The voice is older than the row's request, so another request made it. `madeAtMs`: by the API's clock, ms. */
  | { readonly type: 'made-before'; readonly madeAtMs: number }
  /** Meanwhile the request's answer arrived; or the missing request was sent, or is no longer the next one. */
  | { readonly type: 'answer-came' | 'moved-on' }
  /** Only an earlier take can be marked as not charged. */
  | { readonly type: 'current-take' }
  /** No decision of a person is on record that could be taken back. */
  | { readonly type: 'not-adopted' }
  /** The row has moved on with the job's result, so the job cannot be taken back. */
  | { readonly type: 'job-used'; readonly words: string };

/** The named job did not cost what its row was quoted (in credits), so it may belong to another row. */
export interface OtherPrice {
  readonly quoted: number;
  readonly charged: number;
}

/** The later steps that a row with an adopted job still pays for, and their price in credits; null if unknown. */
export interface GoesOn {
  readonly steps: readonly Step[];
  readonly quoted: number | null;
}

/** Result of settling a row. `jobId`: the job that the row has, or should have got; null without one. */
export type SettledRow = NamedRow & { readonly jobId: string | null } & (
    | { readonly type: 'moved-on' | 'released' }
    /** `newTake`: the take that begins with the stored result that a person named. */
    | { readonly type: 'found'; readonly newTake?: number }
    /**
     * The row has the named job. `isResult`: the job is a voice, so the row has its result. `mayBeOlder`: the voice may
     * have been there before the request. `goesOn`: the steps that are paid for next. `newTake`: the take that begins
     * with this job, if the ledger lacked it. `otherInputs`: the API lists the job with links that are not those of the
     * row, whose cells may have been edited for the new take.
     */
    | {
        readonly type: 'adopted';
        readonly otherPrice?: OtherPrice;
        readonly isResult?: true;
        readonly mayBeOlder?: true;
        readonly goesOn?: GoesOn;
        readonly newTake?: number;
        readonly otherInputs?: true;
      }
    /** An earlier take was charged for certain, with this job. */
    | { readonly type: 'charged'; readonly take: number; readonly otherPrice?: OtherPrice }
    /** `doubted`: an earlier take that was settled as not charged is unknown again. */
    | { readonly type: 'not-charged' | 'doubted'; readonly take: number }
    /**
     * Nothing was found. `hasList`: the API lists such jobs. `makes`: what such a request creates, which a person may
     * name. `lacksOnlyCheck`: the result is stored and paid for, and only the answer of its verification is lost.
     * `answer`: what the request's answer said, if it named a job of another row.
     */
    | {
        readonly type: 'still-unknown';
        readonly hasList: boolean;
        readonly makes: Made;
        readonly lacksOnlyCheck?: true;
        readonly answer?: string;
      }
    /** The API's list could not be read, so nothing is known. */
    | { readonly type: 'unreadable'; readonly why: string }
    | { readonly type: 'refused'; readonly why: SettleRefusal }
  );

/**
 * Returns what a person last decided about the request of a take. Ignores `went-back` records: they choose between
 * results and say nothing about a request.
 */
export function lastDecision(
  decisions: readonly DecisionRecord[],
  take: number | undefined,
): DecisionRecord | undefined {
  return decisions.findLast((one) => one.take === take && one.what !== 'went-back');
}

/** Returns the request of a take that has no answer or an unknown outcome. Default: the row's present take. */
export async function findUnresolved(
  ledger: Ledger,
  batch: string,
  row: number,
  take?: number,
): Promise<ChargeRecord | undefined> {
  return (await readTake(ledger, batch, { row, ...defined({ take }) })).attempt;
}

/** What is on record of a take: a paid run of a row, of which a redrive begins the next. */
export interface TakeOnRecord {
  /** The row; undefined if there is none of this number. */
  readonly snapshot: RowSnapshot | undefined;
  readonly name: NamedRow;
  /** The take that was asked for; undefined without a row. */
  readonly take: number | undefined;
  /** The row's present take. */
  readonly present: number | undefined;
  /** The take's request that has no answer or an unknown outcome. */
  readonly attempt: ChargeRecord | undefined;
}

/** Reads a take from the ledger, by default the row's present one. */
export async function readTake(ledger: Ledger, batch: string, { row, take }: RowTake): Promise<TakeOnRecord> {
  const snapshot = await ledger.readRow(batch, row);
  const present = snapshot && presentTake(snapshot.row);
  const wanted = take ?? present;
  // The requests of a row in parts are those of its parts.
  const charges = snapshot?.row.parts === null ? snapshot.charges : [];
  const steps = snapshot === undefined ? [] : stepsIn(snapshot.row.spec);
  return {
    snapshot,
    name: snapshot === undefined ? { row, id: '' } : nameOf(snapshot.row),
    take: wanted,
    present,
    // A later step is sent only after the step before it is settled.
    attempt: charges.findLast((one) => one.take === wanted && isUnresolved(one) && steps.includes(one.step)),
  };
}

/**
 * Takes back a person's last decision about a take: the job that the row was given, or that its request was not
 * charged. `by`: who takes it back, for the record. Free and repeatable.
 */
export async function releaseTake(ledger: Ledger, batch: string, named: RowTake, by: By): Promise<SettledRow> {
  const { name, take } = await readTake(ledger, batch, named);
  const refused = (why: SettleRefusal): SettledRow => ({ ...name, jobId: null, type: 'refused', why });
  const last = lastDecision(await ledger.decisionsOf(batch, named.row), take);
  if (last === undefined) return refused({ type: 'not-adopted' });
  const { jobId } = last;
  try {
    if (last.what !== 'released' && !(await ledger.decide(last, { type: 'released', jobId }, by)))
      return refused({ type: 'not-adopted' });
  } catch (error) {
    if (!(error instanceof LedgerMisuse)) throw error;
    return refused({ type: 'job-used', words: error.message });
  }
  return jobId === null ? { ...name, jobId, type: 'doubted', take: last.take } : { ...name, jobId, type: 'released' };
}

/**
 * Settles the request of an earlier take as not charged, because a person checked the account. `by`: who decided, for
 * the record. The row stays as it is.
 */
export async function settleNotCharged(ledger: Ledger, batch: string, named: RowTake, by: By): Promise<SettledRow> {
  const { name, present, attempt } = await readTake(ledger, batch, named);
  const facts = { ...name, jobId: null };
  const refused = (type: 'take-not-in-doubt' | 'current-take' | 'answer-came'): SettledRow => {
    return { ...facts, type: 'refused', why: { type } };
  };
  if (attempt?.state !== 'unknown') return refused('take-not-in-doubt');
  if (attempt.take === present) return refused('current-take');
  const isSettled = await ledger.decide(attempt, { type: 'not-charged' }, by);
  return isSettled ? { ...facts, type: 'not-charged', take: attempt.take } : refused('answer-came');
}
