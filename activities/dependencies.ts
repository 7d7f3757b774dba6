import type { LimitFunction } from 'p-limit';
import type { Logger } from 'pino';
import type { SpeechApi } from '../api/speech-api.ts';
import type { Realm } from '../contract/names.ts';
import type { Instant } from '../policy/send-deadline.ts';
import type { Ledger } from '../ledger/ledger.ts';
import type { RowStanding } from '../ledger/record-types.ts';
import type { Store } from '../store/store.ts';
import type { BatchCache } from './batch-cache.ts';
import type { ConcurrencyLimit } from './concurrency-limit.ts';
import type { JobMemory } from './job-memory.ts';
import type { Listings } from './shared-job-list.ts';
import type { PolledJobs } from './polled-jobs.ts';
import type { Pace } from './pace.ts';
import type { PagePolls } from './page-polls.ts';
import type { RunningWork } from './running-work.ts';
import type { FaultPointHook } from './fault-points.ts';
import type { InFlightLimits } from './in-flight-limits.ts';

/** Both clocks; replaced in tests of clock jumps and sleep. */
export interface Clock {
  now(): Instant;
}

/** What activities use of the world outside, and who uses it. */
export interface Services {
  readonly ledger: Ledger;
  readonly store: Store;
  readonly api: SpeechApi;
  /** Whose work this worker may do; work of another realm is refused. */
  readonly realm: Realm;
  /** This process, for the record of intents. */
  readonly owner: string;
  readonly log: Logger;
  readonly clock: Clock;
  /** Written to summaries. */
  readonly voxbatchVersion: string;
}

/** What this process remembers and bounds by itself. Losing it with the process costs free reads and a moment, never a charge. */
export interface ProcessMemory {
  /** Records of batches, read a few times a second. */
  readonly batches: BatchCache;
  /** How many lanes of each batch this process works on. */
  readonly lanes: Map<string, number>;
  /** Bounds paid requests of this process in flight. */
  readonly inFlightLimits: InFlightLimits;
  /** Bounds downloads of this process. */
  readonly downloads: LimitFunction;
  /** Bounds status reads of this process in flight. */
  readonly reads: LimitFunction;
  /** Paces the calls of this process by what all workers may do together. */
  readonly pace: Pace;
  /** When each job is polled next, in this process. */
  readonly polls: PolledJobs;
  /** Polls several jobs at once, where the API lists them. */
  readonly pagePolls: PagePolls;
  /** How long jobs take. */
  readonly jobTimes: JobMemory;
  /** How many jobs the API runs at once, and the part of them that this process may make. */
  readonly concurrencyLimit: ConcurrencyLimit;
  /** Readings of the API's list, shared by all who look for a lost job. */
  readonly listings: Listings;
  /** Paid requests of this process that are between intent and verdict, by the name of their attempt. */
  readonly sends: RunningWork;
  /** Downloads that run in this process, by the name of their attempt; each ends with how its row then stands, where it knows that. */
  readonly fetches: RunningWork<RowStanding | undefined>;
}

/** What the process that runs activities tells them, and what they tell it. */
export interface ProcessSignals {
  /** Aborts when the process is to end: downloads stop (the next process begins them anew), paid requests do not. */
  readonly ending: AbortSignal;
  /** Aborts when the process can no longer wait for paid requests in flight: they are cut, and so are in doubt. */
  readonly cutting: AbortSignal;
  /** Called on a fault that no retry heals by itself (disk full, ledger gone), so that the process can say so and end. */
  readonly onFault: (fault: Error) => void;
  /** Called at each fault point; tests kill the process there. */
  readonly atFaultPoint: FaultPointHook;
  /**
   * Switches off the storage in which a connection of Temporal's SDK keeps the context of a call. Called by each activity once it has what it needs of
   * its own: up to version 22, Node runs a hook for every promise of the process while any such storage is on (docs/decisions/cpu.md).
   */
  readonly leaveContext: () => void;
}

/** Everything that activities need, wired in `worker/dependencies.ts`. */
export interface Dependencies extends Services, ProcessMemory, ProcessSignals {}

export const SYSTEM_CLOCK: Clock = { now: () => ({ wall: Date.now(), monotonic: performance.now() }) };
