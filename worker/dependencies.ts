import { createFreeReads } from '../activities/reconcile/free-reads.ts';
import type { FreeReads } from '../batches/free-reads.ts';
import { hostname } from 'node:os';
import pLimit from 'p-limit';
import {
  SYSTEM_CLOCK,
  type Clock,
  type Dependencies,
  type ProcessMemory,
  type ProcessSignals,
  type Services,
} from '../activities/dependencies.ts';
import type { FaultPointHook } from '../activities/fault-points.ts';
import { BatchCache } from '../activities/cache/batch-cache.ts';
import { ConcurrencyLimit } from '../activities/pacing/concurrency-limit.ts';
import { JobHints, UNHEARD_MS } from '../activities/webhooks/job-hints.ts';
import { SharedJobTimes } from '../activities/polling/shared-job-times.ts';
import { SharedJobLists } from '../activities/reconcile/shared-job-list.ts';
import { PolledJobs } from '../activities/polling/polled-jobs.ts';
import { Pace } from '../activities/pacing/pace.ts';
import { ResultLookUps } from '../activities/cache/result-look-ups.ts';
import { readMediaIdentities } from '../batches/cache/media-identities.ts';
import { SpeechPaces } from '../activities/verification/speech-paces.ts';
import { RunningWork } from '../activities/running-work.ts';
import { InFlightLimits } from '../activities/pacing/in-flight-limits.ts';
import { BudgetQueue } from '../activities/pacing/budget-queue.ts';
import { createMediaFetch } from '../api/create-fetch.ts';
import type { OutageEvent } from './watch-outage.ts';

/** Concurrent downloads of one process: limited by disk and CPU, not by the API. */
const DOWNLOADS = 8;
/** Concurrent status reads of one process. */
const READS = 32;

/** What differs from worker to worker. */
export interface WorkerSetup
  extends
    Omit<Services, 'clock' | 'searchable'>,
    Partial<Pick<Services, 'searchable'>>,
    Pick<ProcessSignals, 'onFault' | 'observe'> {
  /** Called at each named fault point, where tests kill the process. Default: does nothing. */
  readonly atFaultPoint?: FaultPointHook;
  /** Default: the system clock. */
  readonly clock?: Clock;
  /** Called when the store goes away, and when it is back, or with a fault that is held. Default: does nothing. */
  readonly onOutage?: (event: OutageEvent) => void;
  /** Default: hints without a source of webhooks. */
  readonly hints?: JobHints;
  /** Default: does nothing. */
  readonly disableCallContext?: ProcessSignals['disableCallContext'];
  /** Default: a second. */
  readonly askEveryMs?: number;
}

/** Wires what activities need. */
export function createDependencies(
  world: WorkerSetup,
  ending: AbortSignal,
  cutting: AbortSignal = new AbortController().signal,
  faulty: AbortSignal = new AbortController().signal,
): Dependencies {
  return {
    ...world,
    ...memoryOf(world),
    searchable: world.searchable ?? [],
    askEveryMs: world.askEveryMs ?? 1_000,
    clock: world.clock ?? SYSTEM_CLOCK,
    ending,
    cutting,
    faulty,
    atFaultPoint: world.atFaultPoint ?? ((): void => undefined),
    disableCallContext: world.disableCallContext ?? ((): void => undefined),
  };
}

/** The memory of a new process. */
function memoryOf({ ledger, realm, hints = new JobHints() }: WorkerSetup): ProcessMemory {
  return {
    batches: new BatchCache(ledger),
    lanes: new Map(),
    inFlightLimits: new InFlightLimits(),
    budgetQueue: new BudgetQueue(),
    downloads: pLimit(DOWNLOADS),
    reads: pLimit(READS),
    pace: new Pace(),
    polls: new PolledJobs(),
    hints,
    jobTimes: new SharedJobTimes(),
    speechPaces: new SpeechPaces(),
    concurrencyLimit: new ConcurrencyLimit(),
    resultLookUps: new ResultLookUps(ledger),
    media: readMediaIdentities(createMediaFetch(realm.apiUrl)),
    jobLists: new SharedJobLists(),
    sends: new RunningWork(),
    lostAnswers: { count: 0 },
    fetches: new RunningWork(),
  };
}

/**
 * Names a worker process: in Temporal as its identity, in the ledger as the owner of intents. Unique per process start.
 */
export function newIdentity(): string {
  return `${hostname()} ${String(process.pid)} ${Math.random().toString(36).slice(2, 8)}`;
}

/** Hints for a worker's jobs, and how long to remember webhooks about jobs that are not known yet. */
export function newHints(): { readonly hints: JobHints; readonly memoryMs: number } {
  return { hints: new JobHints(), memoryMs: UNHEARD_MS };
}

/**
 * Free reads for a process that is not a worker, such as the command line when it settles rows. They cannot be aborted.
 */
export function freeReadsOf(world: WorkerSetup): FreeReads {
  const never = new AbortController().signal;
  return createFreeReads(createDependencies(world, never), never);
}
