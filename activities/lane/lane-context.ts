import type { Dependencies } from '../dependencies.ts';
import type { Window } from '../pacing/in-flight-limits.ts';
import type { RowsBeforeWindow } from './rows-before-window.ts';
import type { FairShare } from './lane-share.ts';
import type { BatchMonitor } from './batch-monitor.ts';
import type { WakeUps } from './wake-ups.ts';

/** What the work on all rows of one lane's slice shares. Made by `run-lane.ts`. */
export interface LaneContext {
  readonly deps: Dependencies;
  /** Name of the batch. */
  readonly batch: string;
  /**
   * Aborts when the slice must end, for any reason. Requests in flight still run until their answers are recorded.
   */
  readonly signal: AbortSignal;
  /** Wakes rows that wait for jobs or results. */
  readonly wakeUps: WakeUps;
  /** Limits the rows in flight of this lane. */
  readonly window: Window;
  readonly monitor: BatchMonitor;
  readonly beforeWindow: RowsBeforeWindow;
  readonly share: FairShare;
}
