import { setMaxListeners } from 'node:events';
import type { Clock, Dependencies } from '../../activities/dependencies.ts';
import { WakeUps } from '../../activities/lane/wake-ups.ts';
import { awaitJob } from '../../activities/polling/await-job.ts';
import { runLane } from '../../activities/lane/run-lane.ts';
import { BatchMonitor } from '../../activities/lane/batch-monitor.ts';
import { loadAttempt, nextMoveFor, type SubmitReport } from '../../activities/attempt.ts';
import { loadBatch } from '../../activities/cache/batch-cache.ts';
import { reconcile } from '../../activities/reconcile/reconcile.ts';
import { submit } from '../../activities/submit.ts';
import { adoptJob } from '../../batches/reconcile/adopt-job.ts';
import type { SettledRow } from '../../batches/reconcile/decisions.ts';
import type { LaneReport } from '../../contract/activities.ts';
import type { AttemptKey, FencedAttempt, Move, RowAttempt } from '../../contract/batch.ts';
import type { Control } from '../../contract/outcomes.ts';
import type { BatchRecord } from '../../ledger/batches/batch-records.ts';
import { StoreUnwritable } from '../../store/errors.ts';
import type { Store } from '../../store/store.ts';
import { freeReadsOf, type WorkerSetup } from '../../worker/dependencies.ts';
import { BATCH, keyOf } from './rows.ts';
import { ANN } from '../support/ann.ts';

/**
 * How long a slice may take, ms: a guard. A read that is on the wire when a slice ends is made again in the next one,
 * and tests count reads.
 */
const SLICE_MS = 20_000;

const NEVER = new AbortController().signal;

/** Rows that need something else now. */
export interface Slice {
  readonly settled: readonly { readonly row: number; readonly next: Move }[];
}

/** One worker process, by its activities. */
export class Worker {
  readonly deps: Dependencies;
  /** What it was told of as faults that no retry heals. */
  readonly faults: Error[];
  readonly #ending: AbortController;
  readonly #note: (work: Promise<unknown>) => void;
  readonly #cancel = new AbortController();

  constructor(deps: Dependencies, faults: Error[], ending: AbortController, note: (work: Promise<unknown>) => void) {
    this.deps = deps;
    this.faults = faults;
    this.#ending = ending;
    this.#note = note;
    setMaxListeners(0, this.#cancel.signal);
  }

  /** As a lane does it: it waits for room in the budget. */
  submit(key: FencedAttempt, signal = this.#cancel.signal): Promise<SubmitReport> {
    return this.#run(this.#submit(key, signal).then(withoutStanding));
  }

  reconcile(key: FencedAttempt): Promise<SubmitReport> {
    return this.#run(reconcile(this.deps, key, this.#cancel.signal).then(withoutStanding));
  }

  /** A wish of the user's. */
  async control(control: Control): Promise<void> {
    await this.deps.ledger.setControl(BATCH, control);
  }

  /** Waits for jobs of these rows until each needs something else; returns what they need. */
  async wait(rows: readonly Readonly<Parameters<typeof keyOf>>[]): Promise<Map<number, Move>> {
    const { settled } = await this.slice(
      rows.map((row) => withoutBatch(keyOf(...row))),
      SLICE_MS,
    );
    return new Map(settled.map(({ row, next }) => [row, next]));
  }

  /**
   * Waits for jobs of these rows for so long at most, side by side, as a lane does; returns those that need something
   * else.
   */
  slice(rows: readonly RowAttempt[], sliceMs: number): Promise<Slice> {
    return this.#run(this.#wait(rows, sliceMs));
  }

  async #submit(key: FencedAttempt, signal: AbortSignal): Promise<SubmitReport> {
    for (;;) {
      const report = await submit(this.deps, key, signal);
      if (report.deferral !== 'short') return report;
      await this.deps.budgetQueue.waitForTurn(key.batch, signal);
    }
  }

  async #wait(rows: readonly RowAttempt[], sliceMs: number): Promise<Slice> {
    const over = new AbortController();
    const signal = AbortSignal.any([over.signal, this.#cancel.signal]);
    setMaxListeners(0, signal);
    const wakeUps = new ClockWakeUps(this.deps.clock);
    signal.addEventListener('abort', () => {
      wakeUps.stop();
    });
    const timer = setTimeout(() => {
      over.abort();
    }, sliceMs);
    const monitor = new BatchMonitor(this.deps, await loadBatch(this.deps, BATCH), { signal, wakeUps });
    const monitoring = monitor.run(() => undefined);
    monitoring.catch(() => {
      over.abort();
    });
    const settled: { row: number; next: Move }[] = [];
    try {
      await Promise.all(
        rows.map(async (at) => {
          const key = { batch: BATCH, ...at };
          const { next } = await awaitJob(this.deps, key, await loadAttempt(this.deps, key), { signal, wakeUps });
          if (next.type !== 'wait') settled.push({ row: at.row, next });
        }),
      );
    } finally {
      clearTimeout(timer);
      over.abort();
    }
    await monitoring;
    return { settled };
  }

  /** Works on a lane of a batch until nothing is left to do, or the signal aborts. */
  work(batch = BATCH, signal = NEVER, { lane = 1, lanes = 1, run = 'run' } = {}): Promise<LaneReport> {
    return this.#run(runLane(this.deps, { batch, lane, lanes, run }, { signal, beat: () => undefined }));
  }

  /**
   * Does what a lane does with these rows, one after the other, until each has ended or the batch does not go on.
   * Returns the last move.
   */
  drive(...rows: readonly number[]): Promise<Move> {
    return this.#run(
      rows.reduce<Promise<Move>>(
        (before, row) => before.then(() => this.#drive(row)),
        Promise.resolve({ type: 'ended' }),
      ),
    );
  }

  async #drive(row: number): Promise<Move> {
    const found = await this.deps.ledger.readRow(BATCH, row);
    let next: Move = found === undefined ? { type: 'ended' } : nextMoveFor({}, found);
    for (let step = 0; step < 60 && next.type !== 'ended'; step++) {
      const at = { batch: BATCH, ...next.at };
      if (next.type === 'wait') {
        const { settled } = await this.slice([next.at], SLICE_MS);
        next = settled[0]?.next ?? next;
        continue;
      }
      const report = next.type === 'submit' ? await this.submit(at) : await this.reconcile(at);
      next = report.next;
      const isPutOff = report.verdict === 'blocked' || report.verdict === 'deferred';
      if (isPutOff && (await this.deps.ledger.findBatch(BATCH))?.control !== 'running') return next;
    }
    return next;
  }

  /** As at the end of a process: free work stops. */
  stop(): void {
    this.#cancel.abort();
    this.#ending.abort();
  }

  #run<T>(work: Promise<T>): Promise<T> {
    this.#note(work);
    return work;
  }
}

/** Gives a row a job by a person's word, as `reconcile --adopt` does. */
export async function adopt(world: WorkerSetup, row: number, jobId: string): Promise<SettledRow> {
  return adoptJob(world.ledger, freeReadsOf(world), await recordOf(world), { row, jobId }, ANN);
}

/** The batch of these tests. */
export async function recordOf({ ledger }: Pick<WorkerSetup, 'ledger'>): Promise<BatchRecord> {
  const batch = await ledger.findBatch(BATCH);
  if (batch === undefined) throw new Error('there is no batch');
  return batch;
}

/** A report in short: how the row stands is for its test to look up. */
function withoutStanding({ snapshot: _, ...report }: SubmitReport): SubmitReport {
  return report;
}

function withoutBatch({ row, step, take, attempt }: AttemptKey): RowAttempt {
  return { row, step, take, attempt };
}

/** A store that finds every sound silent. `onWrite`: called for each file that it is given. */
export function findingAllSilent(onWrite: () => void = () => undefined): (store: Store) => Partial<Store> {
  return (store) => ({
    write: async (stem, body, expectation, onReceived) => {
      onWrite();
      const file = await store.write(stem, body, expectation, onReceived);
      return expectation.family === 'audio' ? { ...file, unfit: 'silent' } : file;
    },
    find: async (stem, wanted) => {
      const file = await store.find(stem, wanted);
      return file === undefined ? undefined : { ...file, unfit: 'silent' };
    },
  });
}

/** A store on a disk that takes nothing until it is emptied. */
export class FullDisk {
  readonly fault = new StoreUnwritable(
    'x.part',
    Object.assign(new Error('ENOSPC: no space left on device, write'), { code: 'ENOSPC', syscall: 'write' }),
  );
  isFull = true;

  readonly store = (store: Store): Partial<Store> => ({
    write: (stem, body, ...more) => {
      if (!this.isFull) return store.write(stem, body, ...more);
      if (!Buffer.isBuffer(body)) body.destroy();
      return Promise.reject(this.fault);
    },
  });
}

/** Clocks that can be moved apart from the real ones, each by itself, in ms. */
export function movableClock(): Dependencies['clock'] & { move(by: { wall?: number; monotonic?: number }): void } {
  let [wall, monotonic] = [0, 0];
  return {
    now: () => {
      const host = Date.now() + wall;
      return { wall: host, host, monotonic: performance.now() + monotonic };
    },
    move: (by) => {
      wall += by.wall ?? 0;
      monotonic += by.monotonic ?? 0;
    },
  };
}

/** Clocks that run faster than the real ones, by a factor. */
export interface FastClock extends Clock {
  readonly factor: number;
}

/** Clocks for pauses between looks: those of a worker that waits for its jobs are as many times shorter. */
export function fastClock(factor: number): FastClock {
  const begin = { wall: Date.now(), monotonic: performance.now() };
  return {
    factor,
    now: () => {
      const host = begin.wall + (Date.now() - begin.wall) * factor;
      return { wall: host, host, monotonic: begin.monotonic + (performance.now() - begin.monotonic) * factor };
    },
  };
}

/** Sleeps as long as a clock says, which may be a fast one. */
class ClockWakeUps extends WakeUps {
  readonly #factor: number;

  constructor(clock: Clock & Partial<FastClock>) {
    super();
    this.#factor = clock.factor ?? 1;
  }

  override sleep(ms: number, onSleep?: (wake: () => void) => void): Promise<void> {
    return super.sleep(ms / this.#factor, onSleep);
  }
}
