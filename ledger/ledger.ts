import type { AttemptKey } from '../contract/batch.ts';
import type { Tunables, Tuning } from '../contract/tunables.ts';
import type { Failure } from '../contract/failures.ts';
import type { Control, Outcome, RowState, TakeReason, VerdictName } from '../contract/outcomes.ts';
import type { Step } from '../contract/row-kinds.ts';
import type { LimiterAnswer, LimiterStep } from '../policy/limiter-step.ts';
import type { Claim, ClaimRequest } from './claims.ts';
import type { OwnedLane } from '../policy/share.ts';
import type { LaneLease, LaneRequest } from './lanes.ts';
import type {
  BatchRecord,
  ChargeRecord,
  Counts,
  DecisionRecord,
  Money,
  NewBatch,
  NewRow,
  ReasonCount,
  ResultFile,
  RowStanding,
  TakeRecord,
  UnresolvedAttempt,
  EarlierUnresolved,
} from './record-types.ts';
import type { ScanOptions, ScanPage, ScanPosition } from './scans.ts';
import type { WorkerRecord } from './workers.ts';

/** Effect on the row that goes into the same transaction as a change of its charge. */
export type RowEffect = RowProgress | Retake | RowEnding;

/** How far an open row is. */
export interface RowProgress {
  readonly state: RowState;
  /** What went wrong with its result this time, though it may still be had; null: nothing any more. */
  readonly trouble?: Failure | null;
}

/**
 * A new take from this step on, without asking anybody, unless the row has had `most` of them since a person last decided: then
 * it ends as `otherwise` says.
 */
export interface Retake {
  readonly retake: Step;
  readonly reason: Extract<TakeReason, 'retake' | 'on-unknown'>;
  readonly most: number;
  readonly otherwise: RowEnding;
}

/** How a row ends. */
export interface RowEnding {
  readonly outcome: Outcome;
  readonly failure?: Failure;
  readonly file?: ResultFile;
  readonly extraFiles?: readonly ResultFile[];
  readonly text?: string;
}

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

/** One row that a person wants again. */
export interface RedriveChoice {
  readonly row: number;
  /** The take, and how it had ended, that the person saw; a row that has moved on since is left alone. */
  readonly take: number;
  readonly outcome: Outcome;
  /**
   * `pay`: a new take, from `fromStep` on. `wait`: its job is waited for again, free (a row that ended `overdue`); one whose
   * result has come since ends `succeeded` at once. `accept`: its unfit result is taken as it is, free: the row ends `succeeded`, or
   * goes on to the steps that are to come.
   */
  readonly how:
    | {
        readonly do: 'pay';
        readonly fromStep: Step;
        readonly reason: Extract<TakeReason, 'redrive' | 'edited' | 'resubmitted'>;
        /** What the row asks for from now on. */
        readonly edited?: Pick<NewRow, 'spec' | 'input' | 'quoted'>;
      }
    | { readonly do: 'wait' }
    | { readonly do: 'accept' };
}

export interface Redriven {
  /** Rows that are open again, or were settled at once. */
  readonly rows: readonly number[];
  /** Rows that were left alone: somebody else took them first, or they have not ended. */
  readonly left: readonly number[];
}

/** An attempt, and which job was looked at for it. What was seen of another one than it has by now is no news of it. */
export interface JobKey extends AttemptKey {
  /** Left out: whichever it has. */
  readonly jobId?: string;
}

/** Answer to an intent. Only `go` allows to send. */
export type IntentAnswer =
  /** The record was made by this call and is synced to disk. */
  | { readonly answer: 'go' }
  /** The batch is paused, stopping or closed, the row has ended, was given to somebody else, or is at another take. Nothing was recorded. */
  | { readonly answer: 'blocked' }
  /**
   * `maxSending` attempts of the batch are without verdict, or the budget has room only if one of them comes to nothing. Nothing
   * was recorded; ask again.
   */
  | { readonly answer: 'full' }
  /** It would exceed the budget, whatever becomes of the requests in flight. The row has ended `skipped`. */
  | { readonly answer: 'over-budget' }
  /** There is a record at this key already, or one that forbids it. Nothing was changed. */
  | { readonly answer: 'exists'; readonly charge: ChargeRecord };

/** A person's word about a request whose outcome nobody knows; see `DecisionRecord`. `who`: user and host of the command. */
export type Decision =
  | { readonly what: 'adopted' | 'released'; readonly jobId: string; readonly who: string }
  | { readonly what: 'not-charged'; readonly who: string };

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

/**
 * The record of rows and money. Every method is one transaction, synced to disk before it returns. Timestamps are ms. What changes a row or
 * its charges also returns how the row then stands, from the same transaction: nobody needs to read it again.
 * Several processes may use one ledger at once.
 */
export interface Ledger {
  /** Random id, made with the ledger. */
  readonly id: string;
  /** The file it lies in, absolute. */
  readonly file: string;

  // Batches
  createBatch(batch: NewBatch): Promise<void>;
  /** Adds rows of a `loading` batch. Throws on a duplicate id. */
  addRows(batch: string, rows: readonly NewRow[]): Promise<void>;
  /** `loading` → `open`. Throws {@link LedgerMisuse} if it has not just so many rows. */
  openBatch(batch: string, rows: number): Promise<void>;
  /** Removes a batch that is still `loading`, with its rows; any other stays. */
  discardLoading(batch: string): Promise<void>;
  findBatch(batch: string): Promise<BatchRecord | undefined>;
  listBatches(): Promise<readonly BatchRecord[]>;
  /** Returns the control that then holds; a closed batch keeps its own, `stopping` is never taken back. */
  setControl(batch: string, control: Control, reason?: Failure): Promise<Control>;
  /**
   * Stops at once: like `stopping`, and rows whose jobs run are not waited for. They end `overdue` with their job ids, what was not
   * sent `cancelled`; only what is in flight stays open until its verdict. Returns the control that then holds.
   */
  stopNow(batch: string): Promise<Control>;
  /** Changes what is given and returns all of it. Also on a batch that is closed: it holds for a redrive. */
  tune(batch: string, tuning: Tuning): Promise<Tunables>;
  /** `closed` if no row is open. Returns the number of open rows. */
  closeBatch(batch: string): Promise<number>;
  counts(batch: string): Promise<Counts>;
  money(batch: string): Promise<Money>;
  /** The commonest reasons why rows failed, or fail now, most rows first. */
  commonReasons(batch: string, most: number): Promise<readonly ReasonCount[]>;

  // Lanes
  /** Takes a lane, with every row of whoever had it. Repeatable: who took it last has it. */
  acquireLane(request: LaneRequest): Promise<LaneLease>;
  /** Gives a lane up: its rows are free for the next claim. No effect if somebody else has it by now. */
  releaseLane(lease: LaneLease): Promise<void>;
  /** The lanes of the batch that somebody has. */
  laneOwners(batch: string): Promise<readonly OwnedLane[]>;
  /** Notes that a worker process lives. */
  beat(worker: WorkerRecord): Promise<void>;
  /** Notes that a worker has ended, or that all are known to be dead. */
  forgetWorkers(which: { readonly owner: string } | 'all'): Promise<void>;
  /** Worker processes of this API and account that were heard of in the last seconds. */
  livingWorkers(apiUrl: string, account: string): Promise<readonly string[]>;

  // Rows
  /** The next free rows for a lane, in manifest order; `lost` if the lane has another holder by now. */
  claimRows(request: ClaimRequest): Promise<Claim | 'lost'>;
  /** A row with its charges, in order of step, take, attempt. */
  readRow(batch: string, row: number): Promise<RowStanding | undefined>;
  findRowById(batch: string, id: string): Promise<number | undefined>;
  /**
   * Rows with their charges, for projections: in manifest order, or with `endedSince` in the order in which they ended. They are read in
   * pages; the ledger may change between them.
   */
  scanRows(batch: string, options?: ScanOptions): AsyncIterable<RowStanding>;
  /** One page of {@link Ledger.scanRows}, as of one moment. */
  scanPage(batch: string, options: ScanOptions, after: ScanPosition): Promise<ScanPage>;
  /**
   * Opens ended rows again as a person chose, and with any of them the batch (also one that was stopped or halted). One transaction:
   * all of the choices or none. A new take of a row is made once, whoever asks. Throws {@link LedgerMisuse} for a batch that is being stopped,
   * for a row whose last request may have been taken or whose job may still run, unless the choice is `resubmitted`, for a `wait`
   * where there is no job to wait for, and for an `accept` where there is no unfit result.
   */
  redrive(batch: string, choices: readonly RedriveChoice[]): Promise<Redriven>;
  /** The takes of a row after the first, oldest first. */
  takesOf(batch: string, row: number): Promise<readonly TakeRecord[]>;
  /**
   * Ends the open rows that have no attempt in flight, none in doubt and no unfinished job as `cancelled`, and after
   * {@link Ledger.stopNow} those with such a job as `overdue`. Returns how many.
   */
  cancelRest(batch: string): Promise<number>;

  // Charges
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

  // Limits shared by all workers
  /** Takes a step of the limiter of that name, in one transaction; see `policy/limiter-step.ts`. */
  updateLimiter<Step extends LimiterStep>(scope: string, step: Step): Promise<LimiterAnswer<Step>>;
  /** Pauses in a row, by the worst of these limiters of rates, since calls were last answered in order; 0: they are. */
  troubles(scopes: readonly string[]): Promise<number>;

  /** Waits for what was asked before, then lets go of the database. */
  close(): Promise<void>;
}
