import { ServiceError, type WorkflowHandle } from '@temporalio/client';
import type { FaultPointHook } from '../../activities/fault-points.ts';
import { isPausedByFailures } from '../../batches/look/view-batch.ts';
import { findUp } from '../../embedded/up-claim.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import type { Unlock } from '../../ledger/driver.ts';
import type { BatchRecord } from '../../ledger/record-types.ts';
import type { Store } from '../../store/store.ts';
import type { RunningWorker } from '../../worker/run-worker.ts';
import type { EarlyServer } from '../temporal/early-server.ts';
import { startEmbeddedWorker, warnOfLittleDisk, lockLedger } from './embedded-worker.ts';
import { followBatch, type FollowEvent, type FollowRequest } from '../look/follow.ts';
import type { OpenApi } from '../open-api.ts';
import { openTemporal, type Temporal } from '../temporal/open-temporal.ts';
import { VoxbatchError } from '../problem.ts';
import { useOperations, type Settings } from '../settings.ts';
import { askWorkflow, startWorkflow } from '../temporal/start-workflow.ts';
import { requireKnownLedger } from '../trust/known-ledgers.ts';
import type { WebhookWish, WebhookNews } from '../webhooks/webhook-options.ts';

/**
 * Who works on the batches, if the server is embedded. `own`: a worker in this process. `others`: they are only started
 * here. `up`: the `voxbatch up` of this home, if it serves the account; else, or once it is gone, a worker in this process.
 */
export type WhoWorks = 'own' | 'others' | 'up';

/** What working on batches needs. */
export interface WorkplaceRequest {
  readonly settings: Settings;
  readonly ledger: Ledger;
  readonly store: Store;
  readonly open: OpenApi;
  readonly worker: WhoWorks;
  /** Called before anything that takes long, such as downloading a server. */
  readonly say: (line: string) => void;
  /** Webhooks that reach the worker of this process. */
  readonly webhook?: WebhookWish | undefined;
  /** Called with what happens to the account's webhook. */
  readonly onWebhook?: ((news: WebhookNews) => void) | undefined;
  /** Called with every line of the worker's log. */
  readonly onLog?: ((line: string) => void) | undefined;
  readonly atFaultPoint?: FaultPointHook | undefined;
  /** The embedded server, if it was started early; it is taken over. */
  readonly server?: EarlyServer | undefined;
}

/** Options of {@link Workplace.follow}. */
export type FollowOptions = Pick<FollowRequest, 'out' | 'waitWhilePaused' | 'signal'>;

/**
 * Temporal and, if embedded, a worker in this process. Batches are started and followed here. Leave it in the end: the
 * worker then waits for its requests in flight, and the embedded server stops if it has no other member.
 */
export class Workplace {
  readonly #request: WorkplaceRequest;
  readonly #fault = new AbortController();
  #temporal: Temporal | undefined;
  #worker: RunningWorker | undefined;
  /** Releases the ledger that an `up` works on for this process. */
  #unlock: Unlock | undefined;

  constructor(request: WorkplaceRequest) {
    this.#request = request;
  }

  /** Aborts with a fault that no retry fixes: the work stands still. */
  get fault(): AbortSignal {
    return this.#fault.signal;
  }

  /**
   * Opens Temporal and starts the worker. `signal` aborts this. Throws {@link VoxbatchError}; leave it all the same.
   */
  async open(signal: AbortSignal): Promise<void> {
    const { settings, ledger, worker, say, server } = this.#request;
    requireKnownLedger(settings, ledger);
    await warnOfLittleDisk(settings, say);
    const temporal = await openTemporal(settings, { say, signal, server });
    this.#temporal = temporal;
    if (!temporal.isEmbedded || worker === 'others') return;
    if (worker === 'up' && (await this.#isServedByUp())) {
      // Else a server of another home could be the one whose workers hold the ledger, and nobody would come.
      this.#unlock = await lockLedger(ledger, temporal, settings.home);
      return;
    }
    await this.#startWorker(temporal);
  }

  /**
   * Starts the workflow of a batch, or finds the running one. A batch that paused by itself continues; one that a
   * person paused waits for `resume`. `isNew`: it cannot have a workflow yet. Throws {@link VoxbatchError}
   * (`not-started`, `bad-config`).
   */
  async start(batch: BatchRecord, { isNew }: { readonly isNew: boolean }): Promise<StartedBatch> {
    const { ledger } = this.#request;
    useOperations(batch.settings, batch.name);
    if (batch.control === 'paused' && batch.pauseReason !== null && !isPausedByFailures(batch))
      await ledger.setControl(batch.name, 'running');
    const { client } = this.#opened;
    try {
      return { batch, handle: await startWorkflow(client, ledger, batch, { news: !isNew }) };
    } catch (error) {
      throw error instanceof ServiceError ? new VoxbatchError({ type: 'not-started', batch, cause: error }) : error;
    }
  }

  /**
   * Follows a batch that was started here; see {@link followBatch}. If it stands still because the `up` that was to work
   * on it is gone, this process works on it from then on.
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
   * Ends the worker, which waits for its requests in flight for at most `patienceMs`, and leaves Temporal. Can be
   * repeated.
   */
  async leave(patienceMs?: number): Promise<void> {
    await this.#worker?.end(patienceMs).catch(this.#onFault);
    this.#unlockLedger();
    await this.#temporal?.close();
  }

  /** For a process that exits at once: the last member kills the embedded server. Never throws. */
  leaveAtOnce(): void {
    this.#temporal?.closeAtOnce();
  }

  #followHere({ batch, handle }: StartedBatch, options: FollowOptions): AsyncGenerator<FollowEvent, void, undefined> {
    const { client } = this.#opened;
    const { ledger, store } = this.#request;
    let current = handle;
    return followBatch({
      ...options,
      ledger,
      store,
      batch: batch.name,
      fetchesHere: this.#worker !== undefined,
      askWorkflow: () => askWorkflow(client, current),
      startAgain: async () => {
        try {
          current = await startWorkflow(client, ledger, batch, { news: true });
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
    const { settings, atFaultPoint, ...rest } = this.#request;
    const onFault = this.#onFault;
    this.#worker = await startEmbeddedWorker({ ...rest, temporal, home: settings.home, onFault, atFaultPoint });
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
    if (this.#temporal === undefined) throw new Error('A workplace is opened before it is used.');
    return this.#temporal;
  }
}

/** A batch whose workflow was started. */
export interface StartedBatch {
  readonly batch: BatchRecord;
  readonly handle: WorkflowHandle;
}
