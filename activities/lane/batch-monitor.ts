import { setTimeout as sleep } from 'node:timers/promises';
import type { BatchRecord } from '../../ledger/batches/batch-records.ts';
import type { Dependencies } from '../dependencies.ts';
import { loadBatch } from '../cache/batch-cache.ts';
import { sweep, SWEEP_EVERY_MS } from './sweeps.ts';
import type { WakeUps } from './wake-ups.ts';

/** How often a lane reads its batch, ms: users expect a pause or stop to take effect within a second. */
const READ_EVERY_MS = 250;

/**
 * Reads the record of a lane's batch a few times a second, so that the lane follows pause, resume, stop and changed
 * settings. Each read also proves that this process and its ledger are alive, so each sends the activity's heartbeat.
 */
export class BatchMonitor {
  readonly #deps: Dependencies;
  readonly #wakeUps: WakeUps;
  readonly #signal: AbortSignal;
  #batch: BatchRecord;
  #parked = 0;
  /** Wakes one parked row each. */
  #wakers: (() => void)[] = [];

  constructor(deps: Dependencies, batch: BatchRecord, { signal, wakeUps }: { signal: AbortSignal; wakeUps: WakeUps }) {
    this.#deps = deps;
    this.#batch = batch;
    this.#signal = signal;
    this.#wakeUps = wakeUps;
  }

  /** The batch as read last. */
  get batch(): BatchRecord {
    return this.#batch;
  }

  /** Number of rows that wait until the batch runs. */
  get parked(): number {
    return this.#parked;
  }

  /**
   * Waits while the batch is paused. Resolves with true once it runs, and with false if it is stopping or the lane
   * ends.
   */
  async waitUntilRunning(): Promise<boolean> {
    this.#parked += 1;
    try {
      while (this.#batch.control === 'paused' && !this.#signal.aborted) {
        await new Promise<void>((resolve) => this.#wakers.push(resolve));
      }
    } finally {
      this.#parked -= 1;
    }
    return this.#batch.control === 'running' && !this.#signal.aborted;
  }

  /**
   * Reads the batch until the signal aborts, and calls `beat` after each read. Rejects if the ledger cannot be read.
   */
  async run(beat: () => void): Promise<void> {
    // Concurrently: a sweep of a large batch takes far longer than the heartbeat timeout.
    await Promise.all([this.#read(beat), this.#sweepWhileStopping()]);
    this.wakeParked();
  }

  async #read(beat: () => void): Promise<void> {
    while (!this.#signal.aborted) {
      const before = this.#batch.control;
      this.#batch = await loadBatch(this.#deps, this.#batch.name);
      beat();
      if (this.#batch.control !== before) this.wakeParked();
      await pause(READ_EVERY_MS, this.#signal);
    }
  }

  async #sweepWhileStopping(): Promise<void> {
    while (!this.#signal.aborted) {
      const isStopping = this.#batch.control === 'stopping';
      if (isStopping) {
        // Ends also rows that were in flight at a `stop --now` and have a job by now.
        await sweep(this.#deps.ledger, this.#batch.name);
        // Rows that wait for a job check whether they have ended.
        this.#wakeUps.wakeAll();
      }
      await pause(isStopping ? SWEEP_EVERY_MS : READ_EVERY_MS, this.#signal);
    }
  }

  /** Wakes all parked rows, so that they check the batch again. */
  wakeParked(): void {
    for (const wake of this.#wakers.splice(0)) wake();
  }
}

/** Resolves after this many ms, or when the signal aborts. */
export async function pause(ms: number, signal: AbortSignal): Promise<void> {
  await sleep(ms, undefined, { signal }).catch(() => undefined);
}
