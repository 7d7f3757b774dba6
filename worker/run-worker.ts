import { setMaxListeners } from 'node:events';
import { NativeConnection, type NativeConnectionOptions, type Worker } from '@temporalio/worker';
import type { Logger } from 'pino';
import { createWorker, type WorkerPlace } from './create-worker.ts';
import type { Dependencies } from '../activities/dependencies.ts';
import { followLedgerClock } from '../activities/ledger-clock.ts';
import { createDependencies, type WorkerSetup } from './dependencies.ts';
import { holdFault, limitWaiting, watchOutage, type OutageEvent } from './watch-outage.ts';
import { installRuntime } from './runtime.ts';
import { showAlive } from './heartbeats.ts';
import { stopWatchingBatches, watchBatches } from './watch-batches.ts';

/** A worker that runs in this process. */
export interface RunningWorker {
  /** Its name in the ledger, unique per process start. */
  readonly owner: string;
  /** Resolves when the worker has ended, after {@link RunningWorker.end}; rejects if it failed. */
  readonly ended: Promise<void>;
  /** What it does now. */
  status(): WorkerStatus;
  /**
   * Stops taking work, aborts downloads, and waits for the paid requests in flight. Those still in flight after
   * `patienceMs` are aborted, and their rows end `unknown`; by default each may use its full request timeout.
   * `because`: the error for which it has to end, if there is one; `status` tells of it until the next worker begins.
   * Idempotent.
   */
  end(patienceMs?: number, because?: Error): Promise<void>;
}

/** What a worker does now, for probes and metrics. */
export interface WorkerStatus {
  /** False before it takes work, and once it ends. */
  readonly isRunning: boolean;
  /** Why it sends nothing more, and ends once what it holds is kept; undefined if there is no such fault. */
  readonly fault: Error | undefined;
  /** Results that wait for their turn to be downloaded. */
  readonly downloadsQueued: number;
}

/** How long an ending worker waits for a store that does not answer, ms: as long as for a full disk. */
const STORE_PATIENCE_MS = 10_000;

function noteOutage({ observe }: Pick<WorkerSetup, 'observe'>, event: OutageEvent): void {
  const { of, type } = event;
  if (type === 'away') observe({ type: 'note', what: `${of}-away`, error: event.problem });
  else observe({ type: 'note', what: `${of}-back`, facts: { afterMs: Math.round(event.afterMs) } });
}

/** Tells whoever looks at the batch. Best effort: the log has it, too. */
function noteStoreWait({ ledger, owner }: Pick<WorkerSetup, 'ledger' | 'owner'>, event: OutageEvent): void {
  if (event.of !== 'store') return;
  const wait =
    event.type === 'away' ? { since: Date.now() - Math.round(event.forMs), problem: event.problem } : undefined;
  ledger.noteStoreWait(owner, wait).catch(() => undefined);
}

/** Shows that the worker is alive, then makes it: one that was made and does not run could not be closed. */
async function begin(
  connection: NativeConnection,
  temporal: WorkerPlace,
  deps: Dependencies,
): Promise<{ readonly worker: Worker; readonly alive: Awaited<ReturnType<typeof showAlive>> }> {
  const alive = await showAlive(deps);
  try {
    return { worker: await createWorker(connection, temporal, deps), alive };
  } catch (error) {
    await alive.end(undefined);
    throw error;
  }
}

/** Connects a worker to Temporal and starts it. Throws if Temporal cannot be reached. */
export async function startWorker(
  temporal: WorkerPlace & { readonly connection: NativeConnectionOptions },
  { log, ...world }: WorkerSetup & { readonly log: Logger },
): Promise<RunningWorker> {
  installRuntime(log);
  const ending = new AbortController();
  // Every download adds a listener.
  setMaxListeners(0, ending.signal);
  const cutting = new AbortController();
  setMaxListeners(0, cutting.signal);
  const connection = await NativeConnection.connect(temporal.connection);
  const clock = await followLedgerClock(world.ledger).catch(async (error: unknown) => {
    await connection.close();
    throw error;
  });
  const disableCallContext = (): void => {
    connection.callContextStorage.disable();
  };
  const faulty = new AbortController();
  const tellOutage = (event: OutageEvent): void => {
    noteOutage(deps, event);
    noteStoreWait(deps, event);
    world.onOutage?.(event);
  };
  const onFault = (error: Error): void => {
    if (faulty.signal.aborted) return;
    faulty.abort(error);
    void holdFault(deps, error, { tell: tellOutage, raise: world.onFault });
  };
  const endLimit = limitWaiting(world.ledger, ending.signal);
  const deps = createDependencies(
    { ...world, clock, onFault, disableCallContext },
    ending.signal,
    cutting.signal,
    faulty.signal,
  );
  const { worker, alive } = await begin(connection, temporal, deps).catch(async (error: unknown) => {
    endLimit();
    clock.stop();
    // An open connection would keep the process alive.
    await connection.close();
    throw error;
  });
  // What is paid for must be kept, so a worker waits for its store as long as it lives.
  world.store.outage?.limit(Infinity);
  const endWatches = [
    // Whoever has opened the ledger tells of it.
    watchOutage(
      'ledger',
      () => deps.ledger.outage(),
      (event) => {
        noteOutage(deps, event);
      },
    ),
    watchOutage('store', () => Promise.resolve(deps.store.outage?.status), tellOutage),
  ];
  // Whoever is on call learns of batches beside the work, never before it.
  const news = watchBatches(deps);
  let because: Error | undefined;
  const run = worker.run().catch((error: unknown) => {
    because = error instanceof Error ? error : new Error(String(error));
    throw error;
  });
  const ended = run.finally(async () => {
    await stopWatchingBatches(news);
    // An ending lane does not wait for its requests in flight; the process does.
    await deps.sends.idle();
    await deps.fetches.idle();
    clock.stop();
    await alive.end((faulty.signal.reason as Error | undefined) ?? because);
    for (const endWatch of endWatches) endWatch();
    endLimit();
    await connection.close();
  });
  // Callers that await `ended` see the error; until then it must not count as unhandled.
  ended.catch(() => undefined);
  return {
    owner: deps.owner,
    ended,
    status: () => ({
      isRunning: worker.getState() === 'RUNNING',
      fault: faulty.signal.reason as Error | undefined,
      downloadsQueued: deps.downloads.pendingCount,
    }),
    end: async (patienceMs, error) => {
      because ??= error;
      ending.abort();
      world.store.outage?.limit(STORE_PATIENCE_MS);
      if (worker.getState() === 'RUNNING') worker.shutdown();
      const cut = (): void => {
        cutting.abort();
      };
      const impatience = patienceMs === undefined ? undefined : setTimeout(cut, patienceMs);
      try {
        await ended;
      } finally {
        clearTimeout(impatience);
      }
    },
  };
}
