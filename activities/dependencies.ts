import type { SpeechPaces } from './verification/speech-paces.ts';
import type { LimitFunction } from 'p-limit';
import type { SpeechApi } from '../api/speech-api.ts';
import type { Observe } from '../contract/work-events.ts';
import type { WorkerDuty } from '../contract/worker-duty.ts';
import type { Realm } from '../contract/names.ts';
import type { SearchAttributeName } from '../contract/search-attributes.ts';
import type { Instant } from '../policy/pacing/send-deadline.ts';
import type { Ledger } from '../ledger/ledger.ts';
import type { RowSnapshot } from '../ledger/rows/row-records.ts';
import type { LocalMediaLinks } from '../store/local-media/media-links.ts';
import type { Store } from '../store/store.ts';
import type { BatchCache } from './cache/batch-cache.ts';
import type { ConcurrencyLimit } from './pacing/concurrency-limit.ts';
import type { JobHints } from './webhooks/job-hints.ts';
import type { SharedJobTimes } from './polling/shared-job-times.ts';
import type { MediaIdentities } from '../batches/cache/media-identities.ts';
import type { ResultLookUps } from './cache/result-look-ups.ts';
import type { SharedJobLists } from './reconcile/shared-job-list.ts';
import type { PolledJobs } from './polling/polled-jobs.ts';
import type { Pace } from './pacing/pace.ts';
import type { BudgetQueue } from './pacing/budget-queue.ts';
import type { RunningWork } from './running-work.ts';
import type { FaultPointHook } from './fault-points.ts';
import type { InFlightLimits } from './pacing/in-flight-limits.ts';

/** Reads all clocks at once. Tests of clock jumps and sleep replace it. */
export interface Clock {
  now(): Instant;
}

/** External services that activities use, and the identity they act for. */
export interface Services {
  readonly ledger: Ledger;
  readonly store: Store;
  /** Makes links to local media files. Undefined: this worker serves no local media. */
  readonly mediaLinks?: LocalMediaLinks | undefined;
  readonly api: SpeechApi;
  /** The realm (API, account and ledger) of this worker; work of another realm is refused. */
  readonly realm: Realm;
  /** Identity of this process, recorded with its intents; see `newIdentity` in `worker/dependencies.ts`. */
  readonly owner: string;
  /** The only duty of this process (`worker --only`). Undefined: both. */
  readonly only?: WorkerDuty | undefined;
  readonly clock: Clock;
  /** Recorded in `summary.json`. */
  readonly voxbatchVersion: string;
  /** The search attributes that the Temporal server has; workflows may set no others. */
  readonly searchable: readonly SearchAttributeName[];
}

/** Memory and limits of this process. Losing them with the process costs free reads and time, never a charge. */
export interface ProcessMemory {
  /** Caches the records of batches for a fraction of a second. */
  readonly batches: BatchCache;
  /** How many lanes of each batch this process works on. */
  readonly lanes: Map<string, number>;
  /** Limits the paid requests in flight of this process. */
  readonly inFlightLimits: InFlightLimits;
  /** Rows of this process that wait for budget room. */
  readonly budgetQueue: BudgetQueue;
  /** Limits the downloads of this process. */
  readonly downloads: LimitFunction;
  /** Limits the status reads in flight of this process. */
  readonly reads: LimitFunction;
  /** Paces the calls of this process within its share of the common rate. */
  readonly pace: Pace;
  /** When this process polls each job next. */
  readonly polls: PolledJobs;
  /** Webhook hints about jobs, if webhooks are in use. */
  readonly hints: JobHints;
  /** How long jobs usually take. */
  readonly jobTimes: SharedJobTimes;
  /** The usual speaking pace of each voice heard by this process. */
  readonly speechPaces: SpeechPaces;
  /** The API's limit on concurrent jobs, and this process's share of it. */
  readonly concurrencyLimit: ConcurrencyLimit;
  /** Finds earlier results for many rows at once. */
  readonly resultLookUps: ResultLookUps;
  /** Identifies the media behind rows' links, where their servers report an identity (an ETag, say). */
  readonly media: Pick<MediaIdentities, 'of'>;
  /** Reads of the API's job lists, shared by all searches for lost jobs. */
  readonly jobLists: SharedJobLists;
  /** Paid requests of this process between intent and verdict, by attempt name. */
  readonly sends: RunningWork;
  /** Number of paid answers that had arrived when this process had to end, but could not be recorded. */
  readonly lostAnswers: { count: number };
  /** Downloads of this process, by attempt name. Each resolves with the row's snapshot, if known. */
  readonly fetches: RunningWork<RowSnapshot | undefined>;
}

/** Signals between activities and the process that runs them. */
export interface ProcessSignals {
  /** Aborts when the process shuts down: downloads stop (the next process starts them again), paid requests do not. */
  readonly ending: AbortSignal;
  /** Aborts when the process can no longer wait for paid requests in flight: they are aborted, and so in doubt. */
  readonly cutting: AbortSignal;
  /** Aborts at the first fault: nothing more is sent. The process ends once the answers in flight are recorded. */
  readonly faulty: AbortSignal;
  /** Reports a fault that no retry fixes (disk full, ledger gone), so that the process can exit. */
  readonly onFault: (fault: Error) => void;
  /** Receives an event for each step; logs, metrics and traces are built on it. */
  readonly observe: Observe;
  /** Called at each fault point; tests kill the process there. */
  readonly atFaultPoint: FaultPointHook;
  /**
   * Switches off the async context storage of Temporal's SDK connection. Each activity calls it once it has read its
   * own context: up to version 22, Node runs a hook for every promise of the process while any such storage is on
   * (docs/decisions/cpu.md).
   */
  readonly disableCallContext: () => void;
}

/** Everything that activities need, wired in `worker/dependencies.ts`. */
export interface Dependencies extends Services, ProcessMemory, ProcessSignals {
  /** How often an idle lane asks for free rows, ms. */
  readonly askEveryMs: number;
}

/** The clocks of this machine. */
export const SYSTEM_CLOCK: Clock = {
  now: () => {
    const host = Date.now();
    return { wall: host, host, monotonic: performance.now() };
  },
};
