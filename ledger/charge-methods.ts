import type { AttemptKey } from '../contract/batch.ts';
import type { Failure } from '../contract/failures.ts';
import type { VerdictName } from '../contract/outcomes.ts';
import type { Step } from '../contract/row-kinds.ts';
import type {
  JobHolder,
  ChargeRecord,
  DecisionRecord,
  EarlierUnresolved,
  ResultFile,
  RowStanding,
  UnresolvedAttempt,
} from './record-types.ts';
import type { Retake, RowEffect, RowEnding, RowProgress } from './row-effects.ts';

/** How urgent a change is. */
export interface Patience {
  /** How long it may wait for others to share its commit, ms; only a ledger in a thread of its own heeds it. Default 0. */
  readonly patienceMs?: number;
}

/** What an intent is recorded with. */
export interface Intent extends Patience {
  /** Price of this request; null if none is known. */
  readonly quoted: number | null;
  /** Price of the later steps of the row, which must fit into the budget, too; null if none is known. */
  readonly quotedRest: number | null;
  readonly owner: string;
  /** Requests of the batch that may be without a verdict at once. */
  readonly maxSending: number;
  readonly linkHash?: string;
  /** The asker's fencing token for the row; left out: whoever asks may go on. */
  readonly fence?: number;
}

/** An attempt, and which job was looked at for it. What was seen of another one than it has by now is no news of it. */
export interface JobKey extends AttemptKey {
  /** Left out: whichever it has. */
  readonly jobId?: string;
}

/** Answer to an intent. Only `go` allows to send. */
export type IntentAnswer =
  /** The record was made by this call and is synced to disk. */
  | { readonly type: 'go' }
  /** The batch is paused, stopping or closed, the row has ended, was given to somebody else, or is at another take. Nothing was recorded. */
  | { readonly type: 'blocked' }
  /**
   * `maxSending` attempts of the batch are without verdict, or the budget has room only if one of them comes to nothing. Nothing
   * was recorded; ask again.
   */
  | { readonly type: 'full' }
  /** It would exceed the budget, whatever becomes of the requests in flight. The row has ended `skipped`. */
  | { readonly type: 'over-budget' }
  /** There is a record at this key already, or one that forbids it. Nothing was changed. */
  | { readonly type: 'exists'; readonly charge: ChargeRecord };

/** A person's word about a request whose outcome nobody knows; see `DecisionRecord`. `who`: user and host of the command. */
export type Decision =
  | { readonly type: 'adopted' | 'released'; readonly jobId: string; readonly who: string }
  | { readonly type: 'not-charged'; readonly who: string };

export interface SettleVerdict extends Patience {
  readonly verdict: VerdictName;
  readonly jobId?: string;
  /** The job was found in the API's list rather than in an answer: nothing is settled if another attempt has it by now. */
  readonly isAdopted?: boolean;
  readonly credits?: number;
  readonly failure?: Failure;
  readonly requestId?: string;
  /** For `done`. */
  readonly file?: ResultFile;
}

/** Paid requests: their intents, verdicts and jobs. A part of {@link Ledger}. */
export interface ChargeMethods {
  /** Records the intent of an attempt, exclusively. See {@link IntentAnswer}. Sets the row to `submitting`. */
  intend(key: AttemptKey, intent: Intent): Promise<IntentAnswer & RowStanding>;
  /**
   * Records a verdict. Settles `sending`; also `unknown` when a late answer comes (a row that had ended `unknown` is then open
   * again, free for the next claim, or ended by the effect; a row that has gone on to another take stays as it is, and only
   * the money is recorded). Not `settled`, and nothing is changed, if the attempt already has a final verdict.
   *
   * A job that another attempt has is not charged twice: a first answer that names one is accepted at no charge; a late one is not
   * `settled` and leaves the attempt in doubt, for then the other one has a job that is not its own (see `taken-jobs.ts`).
   */
  settle(
    key: AttemptKey,
    verdict: SettleVerdict,
    effect: RowEffect,
  ): Promise<{ readonly settled: boolean } & RowStanding>;
  /**
   * Notes what an answer said it charged, before its result is stored. A verdict that knows no figure takes this one; an attempt that is
   * `unknown` counts with it from then on. No effect on an attempt that has another verdict.
   */
  notePrice(key: AttemptKey, answer: { readonly credits: number; readonly requestId?: string }): Promise<void>;
  /**
   * Creates the record as `revoked` if there is none, so that nobody can send with this key any more.
   * Returns the record that then stands.
   */
  revoke(key: AttemptKey): Promise<ChargeRecord>;
  /** Records the end of an accepted job, once; credits where the API named them now. Not `finished` if it had ended before. */
  finishJob(
    key: JobKey,
    end: Patience & { readonly file?: ResultFile; readonly credits?: number; readonly failure?: Failure },
    effect: RowEffect,
  ): Promise<{ readonly finished: boolean } & RowStanding>;
  /**
   * Ends the open row of an attempt that is `unknown`, or that is due and cannot be made; or gives it a new take. Touches no charge.
   * No effect once the attempt is in flight or has another verdict, or where the row is at another take.
   */
  giveUp(key: AttemptKey, effect: RowEnding | Retake): Promise<RowStanding>;
  /**
   * Changes a row whose job runs, and no charge: how far it is, or that it is waited for no longer. No effect once the end of the job is
   * on record (by another look, or another process), or where the row is at another take.
   */
  changeRunning(key: JobKey, effect: RowProgress | RowEnding): Promise<RowStanding>;
  /**
   * Carries out what a person decided about an attempt, and keeps it on record. Returns false, and changes nothing, where it does not apply: to
   * adopt or to call not charged, its outcome must be unknown, and no other attempt may have the job; to release, a person must have given it that
   * job. Throws {@link LedgerMisuse} to call an attempt of the row's present take not charged, or to release what a later step was made with.
   */
  decide(key: AttemptKey, decision: Decision): Promise<boolean>;
  /** What persons decided about the requests of a row, oldest first. */
  decisionsOf(batch: string, row: number): Promise<readonly DecisionRecord[]>;
  /** Files that were results of rows until a person took their jobs back, by row. */
  releasedFiles(batch: string): Promise<readonly { readonly row: number; readonly files: readonly ResultFile[] }[]>;
  /** Attempts without a verdict, of the batch. */
  sending(batch: string): Promise<readonly ChargeRecord[]>;
  /** Accepted attempts of the batch whose jobs have not ended as far as is known. */
  runningJobs(batch: string): Promise<readonly ChargeRecord[]>;
  /** How many jobs of this API and account have been accepted and not ended, in all batches. */
  countRunning(apiUrl: string, account: string): Promise<number>;
  /** True if any attempt of this step, of any batch of this API and account, has this job. */
  isJobClaimed(apiUrl: string, account: string, step: Step, jobId: string): Promise<boolean>;
  /** The row of the attempt that has this job, of any batch of this API and account; undefined if none has. */
  holderOfJob(apiUrl: string, account: string, step: Step, jobId: string): Promise<JobHolder | undefined>;
  /**
   * Other attempts of the same step, of any batch of this API and account, made since then, that have no verdict or are
   * `unknown`: each may have made a job that nobody claims. Also those of another take of the same row.
   */
  otherUnresolved(
    apiUrl: string,
    account: string,
    key: AttemptKey,
    since: number,
  ): Promise<readonly UnresolvedAttempt[]>;

  /** Requests of replaced takes of a batch that may have been charged, at most so many of them named. A person settles them. */
  earlierUnresolved(batch: string, most: number): Promise<EarlierUnresolved>;
}
