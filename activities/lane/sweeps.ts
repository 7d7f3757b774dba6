import type { Ledger } from '../../ledger/ledger.ts';

/** How often a process searches a stopping batch for rows that can end, ms. */
export const SWEEP_EVERY_MS = 1_000;

type Sweeper = Pick<Ledger, 'cancelRest'>;

interface Sweep {
  readonly done: Promise<unknown>;
  /** When it ended, ms; undefined while it goes on. */
  endedAt?: number;
}

/** The last sweep of each batch. */
const swept = new WeakMap<Sweeper, Map<string, Sweep>>();

/** Ends the rows of a stopping batch that can end. All lanes and surveys of a process share one sweep. */
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
