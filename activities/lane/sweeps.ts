import type { Ledger } from '../../ledger/ledger.ts';

/** Minimum time between two sweeps of a batch in this process, ms. */
export const SWEEP_EVERY_MS = 1_000;

type Sweeper = Pick<Ledger, 'cancelRest'>;

interface Sweep {
  readonly done: Promise<unknown>;
  /** When it ended, monotonic ms; undefined while it runs. */
  endedAt?: number;
}

/** The last sweep of each batch, by ledger. */
const swept = new WeakMap<Sweeper, Map<string, Sweep>>();

/**
 * Sweeps a stopping batch: ends the open rows without a request in flight or in doubt and without a running job. All
 * lanes and surveys of a process share one sweep. Resolves when a sweep that is at most a second old has ended.
 */
export async function sweep(ledger: Sweeper, batch: string): Promise<void> {
  const sweeps = swept.get(ledger) ?? new Map<string, Sweep>();
  swept.set(ledger, sweeps);
  const last = sweeps.get(batch);
  if (last !== undefined && performance.now() < (last.endedAt ?? Infinity) + SWEEP_EVERY_MS) {
    await last.done;
    return;
  }
  const next: Sweep = {
    done: ledger.cancelRest(batch).finally(() => {
      next.endedAt = performance.now();
    }),
  };
  sweeps.set(batch, next);
  await next.done;
}
