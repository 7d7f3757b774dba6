import type { AttemptKey } from '../contract/batch.ts';
import type { Failure } from '../contract/failures.ts';
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
import type { Patience, Intent, IntentAnswer } from './intent-records.ts';
import type { JobKey, SettleVerdict } from './charges.ts';
import type { Decision } from './decision-records.ts';

/** Paid requests: their intents, verdicts and jobs. Part of {@link Ledger}. */
export interface ChargeMethods {
  /** Records the intent of an attempt, exclusively. See {@link IntentAnswer}. Sets the row to `submitting`. */
  intend(key: AttemptKey, intent: Intent): Promise<IntentAnswer & RowStanding>;
  /**
   * Records a verdict. Settles `sending`, and also `unknown` if a late answer arrives: a row that had ended `unknown`
   * is then open again, free for the next claim, or ended by the effect; for a row at another take, only the money is
   * recorded. Not `settled`, and nothing changes, if the attempt already has a final verdict.
   *
   * A job that another attempt has is never charged twice. A first answer that names one is accepted at no charge if both
   * ask for the same; if not, the attempt is `unknown` instead, and its row is for reconcile, whatever the effect. A late
   * one is not `settled` and leaves the attempt in doubt, because the other attempt then has a job that is not its
   * own (see `taken-jobs.ts`).
   */
  settle(
    key: AttemptKey,
    verdict: SettleVerdict,
    effect: RowEffect,
  ): Promise<{ readonly settled: boolean } & RowStanding>;
  /**
   * Records the price that an answer reported, before its result is stored. A verdict without a figure uses this one;
   * an `unknown` attempt counts with it from then on. No effect on an attempt with another verdict.
   */
  notePrice(key: AttemptKey, answer: { readonly credits: number; readonly requestId?: string }): Promise<void>;
  /**
   * Creates the record as `revoked` if there is none, so that nobody can send with this key any more. Returns the
   * record that exists afterwards.
   */
  revoke(key: AttemptKey): Promise<ChargeRecord>;
  /**
   * Records the end of an accepted job, once, with its credits if the API named them only now. Not `finished` if it had
   * ended before.
   */
  finishJob(
    key: JobKey,
    end: Patience & { readonly file?: ResultFile; readonly credits?: number; readonly failure?: Failure },
    effect: RowEffect,
  ): Promise<{ readonly finished: boolean } & RowStanding>;
  /**
   * Ends the open row of an attempt that is `unknown`, or that is due and cannot be made; or gives it a new take.
   * Changes no charge. No effect if the attempt is in flight or has another verdict, or the row is at another take.
   */
  giveUp(key: AttemptKey, effect: RowEnding | Retake): Promise<RowStanding>;
  /**
   * Changes a row whose job runs, and no charge: its progress, or that nobody waits for it any longer. No effect once
   * the job's end is on record (by another poll or process), or if the row is at another take.
   */
  changeRunning(key: JobKey, effect: RowProgress | RowEnding): Promise<RowStanding>;
  /**
   * Carries out and records what a person decided about an attempt. Returns false, and changes nothing, if it does not
   * apply: to adopt or to call not charged, the outcome must be unknown and no other attempt may have the job; to
   * release, a person must have given it that job. Throws {@link LedgerMisuse} for calling an attempt of the row's
   * present take not charged, or for releasing a job whose result a later step has used.
   */
  decide(key: AttemptKey, decision: Decision): Promise<boolean>;
  /** Decisions of persons about a row's requests, oldest first. */
  decisionsOf(batch: string, row: number): Promise<readonly DecisionRecord[]>;
  /**
   * Files that were results of rows until a person took their jobs back, or went back to an earlier take; in order of rows, the
   * oldest first. Default of `row`: all.
   */
  releasedFiles(
    batch: string,
    row?: number,
  ): Promise<readonly { readonly row: number; readonly files: readonly ResultFile[] }[]>;
  /** The batch's attempts without a verdict. */
  sending(batch: string): Promise<readonly ChargeRecord[]>;
  /** The batch's accepted attempts whose jobs are not known to have ended. */
  runningJobs(batch: string): Promise<readonly ChargeRecord[]>;
  /** Number of accepted jobs of this API and account that have not ended, in all batches. */
  countRunning(apiUrl: string, account: string): Promise<number>;
  /** True if any attempt of this step, of any batch of this API and account, has this job. */
  isJobClaimed(apiUrl: string, account: string, step: Step, jobId: string): Promise<boolean>;
  /** The row of the attempt that has this job, of any batch of this API and account; undefined if none has. */
  holderOfJob(apiUrl: string, account: string, step: Step, jobId: string): Promise<JobHolder | undefined>;
  /**
   * Other attempts of the same step, in any batch of this API and account, made since then, that have no verdict or are
   * `unknown`: each may have made a job that belongs to nobody. Includes those of another take of the same row.
   */
  otherUnresolved(
    apiUrl: string,
    account: string,
    key: AttemptKey,
    since: number,
  ): Promise<readonly UnresolvedAttempt[]>;

  /**
   * Requests of replaced takes of a batch that may have been charged; names at most this many. A person settles them.
   */
  earlierUnresolved(batch: string, most: number): Promise<EarlierUnresolved>;
}
