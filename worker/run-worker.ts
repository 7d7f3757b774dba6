import { setMaxListeners } from 'node:events';
import { NativeConnection, type NativeConnectionOptions, type Worker } from '@temporalio/worker';
import type { Logger } from 'pino';
import { createWorker, type WorkerPlace } from './create-worker.ts';
import type { Dependencies } from '../activities/dependencies.ts';
import { followLedgerClock } from '../activities/ledger-clock.ts';
import { createDependencies, type WorkerSetup } from './dependencies.ts';
import { deferFault, handleOutage, limitWaiting, watchOutages, type OutageEvent } from './watch-outage.ts';
import { installRuntime } from './runtime.ts';
import { registerWorker, type WorkerRegistration } from './heartbeats.ts';
import { stopWatchingBatches, watchBatches } from './watch-batches.ts';

/** A worker that runs in this process. */
export interface RunningWorker {
  /** Its name in the ledger, unique per process start. */
  readonly owner: string;
  /** Resolves when the worker has ended, after {@link RunningWorker.end}; rejects if it failed. */
  readonly ended: Promise<void>;
  /** Returns its current state. */
  status(): WorkerStatus;
  /**
   * Stops taking work, aborts downloads, and waits for the paid requests in flight. Those still in flight after
   * `patienceMs` are aborted, and their rows end `unknown`; by default each may use its full request timeout.
   * `because`: the error that ends the worker, if there is one; `voxbatch status` shows it until another worker starts.
   * Rejects like {@link RunningWorker.ended}. Idempotent.
   */
  end(patienceMs?: number, because?: Error): Promise<void>;
}

/** The state of a worker, for probes and metrics. */
export interface WorkerStatus {
  /** False before it takes work, and once it ends. */
  readonly isRunning: boolean;
  /** The fault for which it sends nothing more, and ends once all answers are recorded; undefined if there is none. */
  readonly fault: Error | undefined;
  /** Number of results that wait for a download slot. */
  readonly downloadsQueued: number;
}

/** How long an ending worker waits for a store that does not answer, ms: as long as for a full disk. */
const STORE_PATIENCE_MS = 10_000;

/** Connects a worker to Temporal and starts it. Throws if Temporal or the ledger cannot be reached. */
export async function startWorker(
  temporal: WorkerPlace & { readonly connection: NativeConnectionOptions },
  { log, ...setup }: WorkerSetup & { readonly log: Logger },
): Promise<RunningWorker> {
  installRuntime(log);
  const connection = await NativeConnection.connect(temporal.connection);
  return run(await openWorker(connection, temporal, setup));
}

/** A worker that is connected and registered, but does not run yet. */
interface OpenedWorker {
  readonly worker: Worker;
  readonly deps: Dependencies;
  readonly controllers: Controllers;
  readonly registration: WorkerRegistration;
  readonly onOutage: (event: OutageEvent) => void;
  readonly stopClock: () => void;
  /** Disconnects from Temporal. */
  readonly close: () => Promise<void>;
}

/** The controllers of the signals of the same names in `ProcessSignals`. */
interface Controllers {
  readonly ending: AbortController;
  readonly cutting: AbortController;
  readonly faulty: AbortController;
}

/** Creates a worker with all that it needs. Closes the connection if that fails. */
async function openWorker(
  connection: NativeConnection,
  temporal: WorkerPlace,
  setup: WorkerSetup,
): Promise<OpenedWorker> {
  const controllers = createControllers();
  const { ending, cutting, faulty } = controllers;
  const clock = await followLedgerClock(setup.ledger).catch(async (error: unknown) => {
    await connection.close();
    throw error;
  });
  const cancelLimit = limitWaiting(setup.ledger, ending.signal);
  const stopClock = (): void => {
    clock.stop();
  };
  const close = async (): Promise<void> => {
    cancelLimit();
    await connection.close();
  };
  const onOutage = (event: OutageEvent): void => {
    handleOutage(setup, event);
  };
  const onFault = (fault: Error): void => {
    if (faulty.signal.aborted) return;
    faulty.abort(fault);
    void deferFault(deps, fault, { onOutage, raise: setup.onFault });
  };
  const disableCallContext = (): void => {
    connection.callContextStorage.disable();
  };
  const signals = { ending: ending.signal, cutting: cutting.signal, faulty: faulty.signal };
  const deps = createDependencies({ ...setup, clock, onFault, disableCallContext }, signals);
  try {
    const { worker, registration } = await registerAndCreate(connection, temporal, deps);
    return { worker, deps, controllers, registration, onOutage, stopClock, close };
  } catch (error) {
    stopClock();
    // An open connection would keep the process alive.
    await close();
    throw error;
  }
}

function createControllers(): Controllers {
  const [ending, cutting, faulty] = [new AbortController(), new AbortController(), new AbortController()];
  // Every request and download adds a listener, so Node's warning about many listeners would be a false alarm.
  setMaxListeners(0, ending.signal, cutting.signal);
  return { ending, cutting, faulty };
}

/** Registers the worker before creating it, because a created worker can only be closed by running it. */
async function registerAndCreate(
  connection: NativeConnection,
  temporal: WorkerPlace,
  deps: Dependencies,
): Promise<Pick<OpenedWorker, 'worker' | 'registration'>> {
  const registration = await registerWorker(deps);
  try {
    return { worker: await createWorker(connection, temporal, deps), registration };
  } catch (error) {
    await registration.end(undefined);
    throw error;
  }
}

/** Runs an opened worker until it ends or fails, then releases everything that it holds. */
function run(opened: OpenedWorker): RunningWorker {
  const { worker, deps, controllers, registration, onOutage, stopClock, close } = opened;
  const fault = (): Error | undefined => controllers.faulty.signal.reason as Error | undefined;
  // Paid results must be stored, so a running worker waits for its store without limit.
  deps.store.outage?.limit(Infinity);
  const endOutageWatches = watchOutages(deps, onOutage);
  // Not awaited: events of batches must not delay the work.
  const batchWatch = watchBatches(deps);
  let endError: Error | undefined;
  const running = worker.run().catch((error: unknown) => {
    endError = error instanceof Error ? error : new Error(String(error));
    throw error;
  });
  const ended = running.finally(async () => {
    await stopWatchingBatches(batchWatch);
    // An ending lane does not wait for its requests in flight; the process does.
    await deps.sends.idle();
    await deps.fetches.idle();
    stopClock();
    await registration.end(fault() ?? endError);
    endOutageWatches();
    await close();
  });
  // Callers that await `ended` see the error; until then it must not count as unhandled.
  ended.catch(() => undefined);
  return {
    owner: deps.owner,
    ended,
    status: () => ({
      isRunning: worker.getState() === 'RUNNING',
      fault: fault(),
      downloadsQueued: deps.downloads.pendingCount,
    }),
    end: async (patienceMs, because) => {
      endError ??= because;
      await shutDown(opened, ended, patienceMs);
    },
  };
}

/** Shuts a worker down; see {@link RunningWorker.end}. */
async function shutDown(
  { worker, deps, controllers }: OpenedWorker,
  ended: Promise<void>,
  patienceMs: number | undefined,
): Promise<void> {
  controllers.ending.abort();
  deps.store.outage?.limit(STORE_PATIENCE_MS);
  if (worker.getState() === 'RUNNING') worker.shutdown();
  const cut = (): void => {
    controllers.cutting.abort();
  };
  const timer = patienceMs === undefined ? undefined : setTimeout(cut, patienceMs);
  try {
    await ended;
  } finally {
    clearTimeout(timer);
  }
}
