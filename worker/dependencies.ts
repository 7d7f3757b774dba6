import { hostname } from 'node:os';
import pLimit from 'p-limit';
import { createFreeReads } from '../activities/reconcile/free-reads.ts';
import type { FreeReads } from '../batches/free-reads.ts';
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

/** Max concurrent downloads of one process: disk and CPU are the limit, not the API. */
const MAX_DOWNLOADS = 8;
/** Max concurrent status reads of one process. */
const MAX_READS = 32;

/** The dependencies that a caller chooses; {@link createDependencies} adds the rest. */
export interface WorkerSetup
  extends
    Omit<Services, 'clock' | 'searchable'>,
    Partial<Pick<Services, 'searchable'>>,
    Pick<ProcessSignals, 'onFault' | 'observe'> {
  /** Called at each named fault point, where tests kill the process. Default: does nothing. */
  readonly atFaultPoint?: FaultPointHook;
  /** Default: the system clock. */
  readonly clock?: Clock;
  /**
   * Called when the store stops answering and when it answers again, and with a fault that ends the process later; see
   * `deferFault` in `watch-outage.ts`. Default: does nothing.
   */
  readonly onOutage?: (event: OutageEvent) => void;
  /** Default: hints without a source of webhooks. */
  readonly hints?: JobHints;
  /** Default: does nothing. */
  readonly disableCallContext?: ProcessSignals['disableCallContext'];
  /** As in `Dependencies`. Default: 1,000. */
  readonly askEveryMs?: number;
}

/** The abort signals of a worker; one that is missing never aborts. */
export type WorkerSignals = Partial<Pick<ProcessSignals, 'ending' | 'cutting' | 'faulty'>>;

/** Creates the dependencies of a worker's activities: fills in the defaults, and creates the memory of the process. */
export function createDependencies(setup: WorkerSetup, signals: WorkerSignals): Dependencies {
  const {
    ending = new AbortController().signal,
    cutting = new AbortController().signal,
    faulty = new AbortController().signal,
  } = signals;
  return {
    ...setup,
    ...createMemory(setup),
    searchable: setup.searchable ?? [],
    askEveryMs: setup.askEveryMs ?? 1_000,
    clock: setup.clock ?? SYSTEM_CLOCK,
    ending,
    cutting,
    faulty,
    atFaultPoint: setup.atFaultPoint ?? ((): void => undefined),
    disableCallContext: setup.disableCallContext ?? ((): void => undefined),
  };
}

function createMemory({ ledger, realm, hints = new JobHints() }: WorkerSetup): ProcessMemory {
  return {
    batches: new BatchCache(ledger),
    lanes: new Map(),
    inFlightLimits: new InFlightLimits(),
    budgetQueue: new BudgetQueue(),
    downloads: pLimit(MAX_DOWNLOADS),
    reads: pLimit(MAX_READS),
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
 * Returns a new name for a worker process, unique per process start. Temporal has it as the worker's identity, the
 * ledger as the owner of intents.
 */
export function newIdentity(): string {
  return `${hostname()} ${String(process.pid)} ${Math.random().toString(36).slice(2, 8)}`;
}

/** Returns new hints for a worker's jobs, and how long to remember webhooks about jobs that are not known yet, ms. */
export function newHints(): { readonly hints: JobHints; readonly memoryMs: number } {
  return { hints: new JobHints(), memoryMs: UNHEARD_MS };
}

/**
 * Returns the API's free reads for a process that is not a worker, such as the command line when it settles rows. They
 * cannot be aborted.
 */
export function freeReadsOf(setup: WorkerSetup): FreeReads {
  return createFreeReads(createDependencies(setup, {}), new AbortController().signal);
}
