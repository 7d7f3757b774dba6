import type { Failure } from '../contract/failures.ts';
import type { CleanParts } from '../contract/cleaning.ts';
import type { Control } from '../contract/outcomes.ts';
import type { Step } from '../contract/row-kinds.ts';
import type { Tunables, Tuning } from '../contract/tunables.ts';
import type { OwnedLane } from '../policy/share.ts';
import type { CleanStart } from './cleaning.ts';
import type { LaneOwnership, LaneRequest } from './lanes.ts';
import type { Delivery, Notice, NoticeClaim, NoticeRecord } from './notices.ts';
import type { MonthClaim } from './occurrence-records.ts';
import type { BatchRecord, Counts, LoadedRow, Money, NewBatch, ReasonCount } from './record-types.ts';
import type { StoredFileOfBatch } from './stored-file.ts';
import type { WorkerEnd, WorkerRecord } from './workers.ts';
import type { ChargeOutlook } from './charge-outlook.ts';

/** Creates, steers, counts and closes batches. Part of {@link Ledger}. */
export interface BatchMethods {
  /**
   * Creates a batch in state `loading`. Throws {@link BatchExists}. With `month`, its budget is its part of what is left of the month, if that is
   * less than its own: decided in the same transaction, so that two firings never get the same credits. Throws {@link MonthUsedUp}.
   */
  createBatch(batch: NewBatch, month?: MonthClaim): Promise<void>;
  /** Adds rows of a `loading` batch. Throws on a duplicate id. */
  addRows(batch: string, rows: readonly LoadedRow[]): Promise<void>;
  /** `loading` → `open`. Throws {@link LedgerMisuse} unless it has exactly this many rows. */
  openBatch(batch: string, rows: number): Promise<void>;
  /** Removes a batch that is still `loading`, with its rows; any other stays. */
  discardLoading(batch: string): Promise<void>;
  findBatch(batch: string): Promise<BatchRecord | undefined>;
  listBatches(): Promise<readonly BatchRecord[]>;
  /**
   * A file in the store that nobody removed on purpose: of the newest batch that has one, and of one whose rows were cleaned
   * only if no other has. Undefined: none is on record.
   */
  findStoredFile(): Promise<StoredFileOfBatch | undefined>;
  /** The accounts that have batches at this address of an API. */
  accountsAt(apiUrl: string): Promise<readonly string[]>;
  /** Returns the resulting control; a closed batch keeps its own, and `stopping` is never undone. */
  setControl(batch: string, control: Control, reason?: Failure): Promise<Control>;
  /**
   * Stops at once: like `stopping`, but does not wait for running jobs. Their rows end `overdue` with their job ids,
   * unsent rows `cancelled`; only requests in flight stay open until their verdict. Returns the resulting control.
   */
  stopNow(batch: string): Promise<Control>;
  /** Changes the given settings and returns all of them. Also works on a closed batch, for a redrive. */
  tune(batch: string, tuning: Tuning): Promise<Tunables>;
  /** `closed` if no row is open. Returns the number of open rows. */
  closeBatch(batch: string): Promise<number>;
  counts(batch: string): Promise<Counts>;
  money(batch: string): Promise<Money>;
  /**
   * Steps of which few requests go at once, until one has told what the API charges: the batch has a budget, and their
   * prices are estimates.
   */
  untoldSteps(batch: string): Promise<readonly Step[]>;
  /** What requests of the batch may cost, by what was charged under a budget so far. */
  chargeOutlook(batch: string): Promise<ChargeOutlook>;
  /** The most common reasons why rows failed, or are failing now, most rows first. */
  commonReasons(batch: string, most: number): Promise<readonly ReasonCount[]>;
}

/** Removes what finished batches no longer need. Part of {@link Ledger}. */
export interface CleanMethods {
  /** Records that parts of a batch are being removed. From then on none of its rows can be opened again. */
  beginClean(batch: string, parts: CleanParts): Promise<CleanStart>;
  /**
   * Removes these parts of the records of rows, except of those in doubt: empties what they asked for, and marks their
   * files as removed, of which no later row gets a result any more. Returns the rows that are not in doubt. Throws
   * {@link LedgerMisuse} if no clean has begun.
   */
  cleanRows(batch: string, rows: readonly number[]): Promise<readonly number[]>;
  /** Records that what was begun is removed. */
  endClean(batch: string): Promise<void>;
}

/** Who works on a batch: lanes and live worker processes. Part of {@link Ledger}. */
export interface LaneMethods {
  /** Acquires a lane, with every row of its earlier holder. Can be repeated: the last caller has it. */
  acquireLane(request: LaneRequest): Promise<LaneOwnership>;
  /** Releases a lane: its rows are free for the next claim. No effect if another process has it now. */
  releaseLane(owned: LaneOwnership): Promise<void>;
  /** The lanes of the batch that have an owner. */
  laneOwners(batch: string): Promise<readonly OwnedLane[]>;
  /** Records that a worker process is alive. */
  beat(worker: WorkerRecord): Promise<void>;
  /** Records that a worker has ended, or that all are known to be dead. */
  forgetWorkers(which: { readonly owner: string } | 'all'): Promise<void>;
  /** Worker processes of this API and account that reported within the last seconds. */
  livingWorkers(apiUrl: string, account: string): Promise<readonly string[]>;
  /** Records that a worker ends because it cannot go on, and why. May use the room that is kept for answers. */
  noteWorkerEnd(worker: WorkerRecord, reason: string): Promise<void>;
  /** Why the last worker of this account ended, if it could not go on and nobody came after it. */
  lastWorkerEnd(apiUrl: string, account: string): Promise<WorkerEnd | undefined>;
  /** Gives back the room that is kept for answers, for one that is no record: a small file that came with its answer. */
  makeRoom(): Promise<void>;
  /**
   * Makes sure that a file that is about to grow in this folder takes nothing of the room that is kept for answers. Throws `LedgerFull` while
   * that room is given back and not free again; a folder on another disk may always grow.
   */
  leaveRoom(folder: string): Promise<void>;
}

/** Messages about batches, to be delivered. Part of {@link Ledger}. */
export interface NoticeMethods {
  /** Takes the notice that has been due longest, for as long as the claim says. Undefined if none is. */
  takeNotice(claim: NoticeClaim): Promise<Notice | undefined>;
  /** Keeps a notice for its current deliverer for this many ms from now. */
  keepNotice(id: string, leaseMs: number): Promise<void>;
  /** Takes a notice away from a process that is dead: it is due now. */
  freeNotice(id: string, claimer: string): Promise<void>;
  /** Records the result of a delivery. */
  noteDelivery(id: string, delivery: Delivery): Promise<void>;
  /** The notices of a batch, oldest first. */
  noticesOf(batch: string): Promise<readonly NoticeRecord[]>;
}
