import type { LedgerEntry } from '../../simulator/start-simulator.ts';
import { chargedStepOf, nameOfStep } from './charged-step.ts';
import { isOwnedBy, type AttemptView } from './ledger-view.ts';

/**
 * Where an attempt stood when a fault struck, from its intent to its file. The ledger cannot tell a request that is not yet sent
 * from one that is on the wire; the simulator tells whether it was taken.
 */
export const WINDOWS = [
  'nothing in flight',
  'intent, not taken',
  'intent, taken, no verdict',
  'verdict, job runs',
  'result is fetched',
  'between two steps',
] as const;
export type Window = (typeof WINDOWS)[number];

/** How many attempts stood in each window. */
export type WindowCounts = ReadonlyMap<Window, number>;

/** Sorts the open attempts; of one process, or, without `pid`, of all. */
export function sortIntoWindows(
  open: readonly AttemptView[],
  charges: readonly LedgerEntry[],
  pid?: number,
): WindowCounts {
  const taken = new Set(charges.map((charge) => chargedStepOf(charge)).map((step) => step && nameOfStep(step)));
  const isTaken = (attempt: AttemptView): boolean => taken.has(nameOfStep(attempt));
  const counts = new Map<Window, number>();
  for (const attempt of open) {
    if (pid !== undefined && !isOwnedBy(attempt, pid)) continue;
    const window = windowOf(attempt, isTaken);
    if (window !== undefined) counts.set(window, (counts.get(window) ?? 0) + 1);
  }
  return counts.size > 0 ? counts : new Map([['nothing in flight', 1]]);
}

function windowOf(attempt: AttemptView, isTaken: (attempt: AttemptView) => boolean): Window | undefined {
  if (attempt.state === 'sending') return isTaken(attempt) ? 'intent, taken, no verdict' : 'intent, not taken';
  if (attempt.state !== 'accepted' && attempt.state !== 'done') return undefined;
  if (attempt.rowState === 'processing') return 'verdict, job runs';
  if (attempt.rowState === 'fetching' || attempt.rowState === 'verifying') return 'result is fetched';
  return attempt.rowState === 'waiting' ? 'between two steps' : undefined;
}

/** Requests between intent and verdict: what a fault can leave in doubt. */
export function submitsInFlight(counts: WindowCounts): number {
  return (counts.get('intent, not taken') ?? 0) + (counts.get('intent, taken, no verdict') ?? 0);
}

/** Counts, per kind of event, in how many events each window was hit. */
export class WindowTable {
  readonly #hits = new Map<string, Map<Window, number>>();
  readonly #events = new Map<string, number>();

  add(event: string, counts: WindowCounts): void {
    this.#events.set(event, (this.#events.get(event) ?? 0) + 1);
    const hits = this.#hits.get(event) ?? new Map<Window, number>();
    for (const window of counts.keys()) hits.set(window, (hits.get(window) ?? 0) + 1);
    this.#hits.set(event, hits);
  }

  /** A line per kind of event: how often it came, and how often each window was hit by it. */
  lines(): string[] {
    const width = Math.max(5, ...[...this.#events.keys()].map(({ length }) => length));
    const head = ['event'.padEnd(width), '  n', ...WINDOWS].join(' | ');
    const body = [...this.#events].sort().map(([event, count]) => {
      const hits = WINDOWS.map((window) => String(this.#hits.get(event)?.get(window) ?? 0).padStart(window.length));
      return [event.padEnd(width), String(count).padStart(3), ...hits].join(' | ');
    });
    return [head, head.replaceAll(/[^|]/g, '-'), ...body];
  }
}
