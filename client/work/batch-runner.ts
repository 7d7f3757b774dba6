import { ServiceError, type WorkflowHandle } from '@temporalio/client';
import type { FaultPointHook } from '../../activities/fault-points.ts';
import { isPausedByFailures } from '../../batches/status/standstill.ts';
import { findUp } from '../../embedded/up-claim.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import type { Unlock } from '../../ledger/driver.ts';
import type { BatchRecord } from '../../ledger/batches/batch-records.ts';
import type { Store } from '../../store/store.ts';
import type { RunningWorker } from '../../worker/run-worker.ts';
import type { EarlyServer } from '../temporal/early-server.ts';
import type { LogListener } from './worker-log.ts';
import { warnOfLittleDisk } from '../machine-faults.ts';
import { byPerson } from '../history/by-person.ts';
import { followBatch, type FollowEvent, type FollowRequest } from '../status/follow.ts';
import type { ConnectedApi } from '../connect-api.ts';
import { openTemporal, type Temporal } from '../temporal/open-temporal.ts';
import { VoxbatchError } from '../problem.ts';
import { useOperations, type Settings } from '../settings.ts';
import { startWorkflow } from '../temporal/start-workflow.ts';
import { readWorkflowState } from '../temporal/workflow-state.ts';
import { requireKnownLedger } from '../trust/known-ledgers.ts';
import type { WebhookSettings, WebhookEvent } from '../webhooks/webhook-options.ts';

/**
 * Who works on the batches of an embedded server. `own`: a worker in this process. `others`: batches are only started
 * here. `up`: this home's `voxbatch up`, if it serves the account; otherwise, or once it is gone, a worker in this
 * process.
 */
export type WhoWorks = 'own' | 'others' | 'up';

/** Options of {@link BatchRunner}. */
export interface BatchRunnerRequest {
  readonly settings: Settings;
  readonly ledger: Ledger;
  readonly store: Store;
  readonly open: ConnectedApi;
  readonly worker: WhoWorks;
  /**
   * Called before anything slow, such as downloading a server. `isLogged`: the worker's log has an event that says the
   * same.
   */
  readonly say: (line: string, isLogged?: boolean) => void;
  /** Webhooks to receive in this process's worker. */
  readonly webhook?: WebhookSettings | undefined;
  /** Called with events of the account's webhook. */
  readonly onWebhook?: ((event: WebhookEvent) => void) | undefined;
  readonly onLog?: LogListener | undefined;
  readonly atFaultPoint?: FaultPointHook | undefined;
  /** The embedded server if it was started early; ownership passes to the runner. */
  readonly server?: EarlyServer | undefined;
}

/** Options of {@link BatchRunner.follow}. */
export type FollowOptions = Pick<FollowRequest, 'out' | 'waitWhilePaused' | 'signal'>;

/**
 * Runs batches in this process: opens Temporal, starts a worker if the server is embedded, and starts and follows
 * batches. Call {@link BatchRunner.leave} in the end: the worker drains its requests in flight, and the embedded server
 * stops if it has no other member.
 */
export class BatchRunner {
  readonly #request: BatchRunnerRequest;
  readonly #fault = new AbortController();
  #temporal: Temporal | undefined;
  #worker: RunningWorker | undefined;
  /** Releases the lock on a ledger that an `up` works on for this process. */
  #unlock: Unlock | undefined;

  constructor(request: BatchRunnerRequest) {
    this.#request = request;
  }

  /** Aborts with a fault that retrying cannot fix; work is then stuck. */
  get fault(): AbortSignal {
    return this.#fault.signal;
  }

  /**
   * Opens Temporal and starts the worker. `signal` aborts this. Throws {@link VoxbatchError}; call {@link
   * BatchRunner.leave} even then.
   */
  async open(signal: AbortSignal): Promise<void> {
    const { settings, ledger, worker, say, server } = this.#request;
    requireKnownLedger(settings, ledger);
    await warnOfLittleDisk(settings, say);
    const temporal = await openTemporal(settings, { say, signal, server });
    this.#temporal = temporal;
    if (!temporal.isEmbedded || worker === 'others') return;
    if (worker === 'up' && (await this.#isServedByUp())) {
      // Otherwise the workers of another home's server could hold the ledger, and nobody would do the work.
      const { lockLedger } = await import('../temporal/lock-ledger.ts');
      this.#unlock = await lockLedger(ledger, temporal, settings.home);
      return;
    }
    await this.#startWorker(temporal);
  }

  /**
   * Starts a batch's workflow, or finds the running one. A batch that paused by itself resumes; one paused by a person
   * waits for `resume`. `isNew`: it cannot have a workflow yet. Throws {@link VoxbatchError} (`not-started`,
   * `bad-config`).
   */
  async start(batch: BatchRecord, { isNew }: { readonly isNew: boolean }): Promise<StartedBatch> {
    const { ledger, settings } = this.#request;
    useOperations(batch.settings, batch.name);
    if (batch.control === 'paused' && batch.pauseReason !== null && !isPausedByFailures(batch))
      await ledger.setControl(batch.name, 'running', undefined, byPerson(settings));
    try {
      return { batch, handle: await startWorkflow(this.#opened, ledger, batch, { wakes: !isNew }) };
    } catch (error) {
      throw error instanceof ServiceError ? new VoxbatchError({ type: 'not-started', batch, cause: error }) : error;
    }
  }

  /**
   * Follows a batch started here; see {@link followBatch}. If it is stuck because the `up` responsible for it is gone,
   * this process takes over the work.
   */
  async *follow(started: StartedBatch, options: FollowOptions): AsyncGenerator<FollowEvent, void, undefined> {
    let isDeserted = false;
    for await (const event of this.#followHere(started, options)) {
      isDeserted = this.#unlock !== undefined && event.type === 'standstill' && event.standstill === 'no-worker';
      if (isDeserted) break;
      yield event;
    }
    if (!isDeserted) return;
    this.#unlockLedger();
    await this.#startWorker(this.#opened);
    yield* this.#followHere(started, options);
  }

  /**
   * Stops the worker, which drains its requests in flight for at most `patienceMs`, and leaves Temporal. Repeatable.
   */
  async leave(patienceMs?: number): Promise<void> {
    const because = this.#fault.signal.reason as Error | undefined;
    await this.#worker?.end(patienceMs, because).catch(this.#onFault);
    this.#unlockLedger();
    await this.#temporal?.close();
  }

  /** For a process that exits immediately: if it is the last member, kills the embedded server. Never throws. */
  leaveAtOnce(): void {
    this.#temporal?.closeAtOnce();
  }

  async *#followHere(
    { batch, handle }: StartedBatch,
    options: FollowOptions,
  ): AsyncGenerator<FollowEvent, void, undefined> {
    const { client } = this.#opened;
    const { ledger, store } = this.#request;
    let current = handle;
    yield* followBatch({
      ...options,
      ledger,
      store,
      batch: batch.name,
      fetchesHere: this.#worker !== undefined,
      readWorkflow: () => readWorkflowState(client, current),
      startAgain: async () => {
        try {
          current = await startWorkflow(this.#opened, ledger, batch, { wakes: true });
        } catch (error) {
          // If Temporal does not accept it now, the next query asks again.
          if (!(error instanceof ServiceError)) throw error;
        }
      },
    });
  }

  async #isServedByUp(): Promise<boolean> {
    const { settings, ledger, open } = this.#request;
    if (findUp(settings.home).type !== 'ready') return false;
    return (await ledger.livingWorkers(open.api.baseUrl, open.profile.userId)).length > 0;
  }

  async #startWorker(temporal: Temporal): Promise<void> {
    // Loaded lazily: most of our code, which nothing needs where others work.
    const { startLocalWorker } = await import('./start-local-worker.ts');
    const onFault = this.#onFault;
    const { atFaultPoint, ...rest } = this.#request;
    this.#worker = await startLocalWorker({ ...rest, temporal, onFault, atFaultPoint });
    this.#worker.ended.catch(onFault);
  }

  #unlockLedger(): void {
    this.#unlock?.();
    this.#unlock = undefined;
  }

  readonly #onFault = (error: Error): void => {
    this.#fault.abort(error);
  };

  get #opened(): Temporal {
    if (this.#temporal === undefined) throw new Error('A batch runner must be opened before it is used.');
    return this.#temporal;
  }
}

/** A batch whose workflow was started. */
export interface StartedBatch {
  readonly batch: BatchRecord;
  readonly handle: WorkflowHandle;
}
