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
import type { Made } from '../look/leftovers.ts';

/** Why a row was not changed. `words`: the API's or the ledger's own. */
export type SettleRefusal =
  /** A person gave the row another job, which has to be taken back first. */
  | { readonly type: 'adopted-before'; readonly jobId: string; readonly batch: string; readonly take?: number }
  /** Neither the row nor the named take has a request with an unknown outcome, and none is to be sent. */
  | { readonly type: 'not-in-doubt' | 'take-not-in-doubt' }
  /** Its request has no answer yet. */
  | { readonly type: 'in-flight' }
  /** Such a request creates no job, so the row cannot get one. */
  | { readonly type: 'makes-no-job'; readonly step: Step; readonly kind: Kind }
  | { readonly type: 'no-such-job'; readonly step: Step; readonly words: string }
  | { readonly type: 'job-unreadable'; readonly words: string }
  /** The API lists the job with links that are not those of the row. */
  | { readonly type: 'other-inputs' }
  /** Another row has the job, or another take of this row. */
  | { readonly type: 'job-taken'; readonly by: NamedRow & { readonly batch: string } }
  /** The voice was made before the row's request, so another one made it. `madeAtMs`: by the API's clock. */
  | { readonly type: 'made-before'; readonly madeAtMs: number }
  /** The answer to its request arrived meanwhile; or the request was sent, or has become another. */
  | { readonly type: 'answer-came' | 'moved-on' }
  /** Only an earlier take can be marked as not charged. */
  | { readonly type: 'current-take' }
  /** No person decided anything about it that could be taken back. */
  | { readonly type: 'not-adopted' }
  | { readonly type: 'job-used'; readonly words: string };

/** The named job did not cost what its row was quoted (in credits), so it may belong to another row. */
export interface OtherPrice {
  readonly quoted: number;
  readonly charged: number;
}

/** What a row still needs that has its job now, and the price of that (in credits); null: unknown. */
export interface GoesOn {
  readonly steps: readonly Step[];
  readonly quoted: number | null;
}

/** What became of a row to settle. `jobId`: the job that it has or should have got. */
export type SettledRow = NamedRow & { readonly jobId: string | null } & (
    | { readonly type: 'found' | 'moved-on' | 'released' }
    /**
     * `isResult`: it is a voice, so the row has its result. `mayBeOlder`: a voice of its name was there before the
     * request, and nothing tells whether it is this one. `goesOn`: the steps that are paid for next. `newTake`: the
     * take that the row has begun with it, if the ledger lacked that; `otherInputs`: the API lists the job with links
     * that are not those of the row, which may have been edited for that take.
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
    /** For an earlier take whose charge is certain now. */
    | { readonly type: 'charged'; readonly take: number; readonly otherPrice?: OtherPrice }
    /** `doubted`: an earlier take that was settled as not charged is unknown again. */
    | { readonly type: 'not-charged' | 'doubted'; readonly take: number }
    /**
     * `hasList`: the API lists such jobs. `makes`: what such a request makes, which a person may name.
     * `lacksOnlyCheck`: its result is stored and paid for, and only the answer of its verification is lost. `answer`:
     * what its answer said, if that named a job of another row.
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
 * What a person last decided about the request of a take: which result of the row is its own says nothing about that.
 */
export function lastDecision(
  decisions: readonly DecisionRecord[],
  take: number | undefined,
): DecisionRecord | undefined {
  return decisions.findLast((one) => one.take === take && one.what !== 'went-back');
}

/** The request of a take that has no answer or an unknown outcome. Default: the row's present take. */
export async function findUnresolved(
  ledger: Ledger,
  batch: string,
  row: number,
  take?: number,
): Promise<ChargeRecord | undefined> {
  return (await readTake(ledger, batch, { row, ...defined({ take }) })).attempt;
}

/** What is on record of a take, by default the row's present one. */
export interface TakeOnRecord {
  readonly standing: RowSnapshot | undefined;
  readonly name: NamedRow;
  readonly take: number | undefined;
  readonly present: number | undefined;
  /** Its request that has no answer or an unknown outcome. */
  readonly attempt: ChargeRecord | undefined;
}

/** Reads it. */
export async function readTake(ledger: Ledger, batch: string, { row, take }: RowTake): Promise<TakeOnRecord> {
  const standing = await ledger.readRow(batch, row);
  const present = standing && presentTake(standing.row);
  const wanted = take ?? present;
  // The requests of a row in parts are those of its parts.
  const charges = standing?.row.parts === null ? standing.charges : [];
  const steps = standing === undefined ? [] : stepsIn(standing.row.spec);
  return {
    standing,
    name: standing === undefined ? { row, id: '' } : nameOf(standing.row),
    take: wanted,
    present,
    // A later step is sent only after the step before it is settled.
    attempt: charges.findLast((one) => one.take === wanted && isUnresolved(one) && steps.includes(one.step)),
  };
}

/**
 * Takes back the job that a person gave to a row, or that its request was not charged. `by`: whose decision it is. Free
 * and repeatable.
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
 * Settles the request of an earlier take as not charged, because a person checked the account. `by`: whose decision
 * it is. The row stays as it is.
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
