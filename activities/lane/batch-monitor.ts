import { setTimeout as sleep } from 'node:timers/promises';
import type { BatchRecord } from '../../ledger/batches/batch-records.ts';
import type { Dependencies } from '../dependencies.ts';
import { loadBatch } from '../cache/batch-cache.ts';
import { sweep, SWEEP_EVERY_MS } from './sweeps.ts';
import type { WakeUps } from './wake-ups.ts';

/** How often a lane reads the user's control settings, ms. */
const LISTEN_EVERY_MS = 250;

/**
 * The control state of a batch, read from the ledger a few times a second. Each read also proves that this process and
 * its ledger are alive, so the heartbeat is tied to it.
 */
export class BatchMonitor {
  readonly #deps: Dependencies;
  readonly #wakeUps: WakeUps;
  readonly #signal: AbortSignal;
  #batch: BatchRecord;
  #parked = 0;
  #changed: (() => void)[] = [];

  constructor(deps: Dependencies, batch: BatchRecord, { signal, wakeUps }: { signal: AbortSignal; wakeUps: WakeUps }) {
    this.#deps = deps;
    this.#batch = batch;
    this.#signal = signal;
    this.#wakeUps = wakeUps;
  }

  /** The batch as it was a moment ago. */
  get batch(): BatchRecord {
    return this.#batch;
  }

  /** Rows that wait until they may be paid for. */
  get parked(): number {
    return this.#parked;
  }

  /**
   * Resolves with true once the batch runs; with false if it never will in this lane: it is stopping, or the lane ends.
   */
  async waitUntilRunning(): Promise<boolean> {
    this.#parked += 1;
    try {
      while (this.#batch.control === 'paused' && !this.#signal.aborted) {
        await new Promise<void>((resolve) => this.#changed.push(resolve));
      }
    } finally {
      this.#parked -= 1;
    }
    return this.#batch.control === 'running' && !this.#signal.aborted;
  }

  /** Listens until the signal aborts. Rejects if the ledger cannot be read. */
  async listen(beat: () => void): Promise<void> {
    // Side by side: a sweep of a large batch takes far longer than a lane may be silent.
    await Promise.all([this.#read(beat), this.#sweepWhileStopping()]);
    this.release();
  }

  async #read(beat: () => void): Promise<void> {
    while (!this.#signal.aborted) {
      const before = this.#batch.control;
      this.#batch = await loadBatch(this.#deps, this.#batch.name);
      beat();
      if (this.#batch.control !== before) this.release();
      await pause(LISTEN_EVERY_MS, this.#signal);
    }
  }

  async #sweepWhileStopping(): Promise<void> {
    while (!this.#signal.aborted) {
      const isStopping = this.#batch.control === 'stopping';
      if (isStopping) {
        // Includes rows that were in flight at a `stop --now` and have got a job since.
        await sweep(this.#deps.ledger, this.#batch.name);
        // Each row that waits for a job checks whether it has ended.
        this.#wakeUps.wakeAll();
      }
      await pause(isStopping ? SWEEP_EVERY_MS : LISTEN_EVERY_MS, this.#signal);
    }
  }

  /** Wakes all parked rows to check again. */
  release(): void {
    for (const wake of this.#changed.splice(0)) wake();
  }
}

/** Resolves after this many ms, or when the signal aborts. */
export async function pause(ms: number, signal: AbortSignal): Promise<void> {
  await sleep(ms, undefined, { signal }).catch(() => undefined);
}
