import type { Dependencies } from '../dependencies.ts';
import type { WakeUps } from './wake-ups.ts';
import type { Window } from '../in-flight-limits.ts';
import type { Steering } from './steering.ts';

/** What all who work on one lane share. */
export interface LaneWork {
  readonly deps: Dependencies;
  readonly batch: string;
  /** Aborts when the lane is to end, for whatever reason. What is in flight is brought home all the same. */
  readonly signal: AbortSignal;
  readonly wakeUps: WakeUps;
  readonly window: Window;
  readonly steering: Steering;
}
