import type { Dependencies } from '../dependencies.ts';
import type { Window } from '../pacing/in-flight-limits.ts';
import type { RowsBeforeWindow } from './rows-before-window.ts';
import type { FairShare } from './fair-share.ts';
import type { BatchMonitor } from './batch-monitor.ts';
import type { WakeUps } from './wake-ups.ts';

/** What all rows of one lane share. */
export interface LaneContext {
  readonly deps: Dependencies;
  readonly batch: string;
  /**
   * Aborts when the lane must end, for whatever reason. Requests in flight are still carried through to their recorded
   * answers.
   */
  readonly signal: AbortSignal;
  readonly wakeUps: WakeUps;
  readonly window: Window;
  readonly monitor: BatchMonitor;
  readonly beforeWindow: RowsBeforeWindow;
  readonly share: FairShare;
}
