import type { Ledger } from '../../ledger/ledger.ts';

/** How often a process searches a stopping batch for rows that can end, ms. */
export const SWEEP_EVERY_MS = 1_000;

type Sweeper = Pick<Ledger, 'cancelRest'>;

interface Sweep {
  readonly at: number;
  readonly done: Promise<number>;
}

/** The last sweep of each batch. */
const swept = new WeakMap<Sweeper, Map<string, Sweep>>();

/** Ends the rows of a stopping batch that can end. All lanes of a process share one sweep. */
export async function sweep(ledger: Sweeper, batch: string): Promise<void> {
  const sweeps = swept.get(ledger) ?? new Map<string, Sweep>();
  swept.set(ledger, sweeps);
  const last = sweeps.get(batch);
  const at = performance.now();
  const isRecent = last !== undefined && at < last.at + SWEEP_EVERY_MS;
  const done = isRecent ? last.done : ledger.cancelRest(batch);
  if (!isRecent) sweeps.set(batch, { at, done });
  await done;
}
