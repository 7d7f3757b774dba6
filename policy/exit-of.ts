import type { ExitName } from '../contract/exit-codes.ts';
import type { FailureClass } from '../contract/failures.ts';
import type { Outcome } from '../contract/outcomes.ts';

/** What the exit code of a batch depends on. */
export interface BatchEnd {
  readonly outcomes: Readonly<Record<Outcome, number>>;
  /** Of the skipped rows, those that nobody asked for. */
  readonly notChosen: number;
  /** Every row has an outcome. */
  readonly isClosed: boolean;
  /** Why the batch paused by itself, if it is paused now. */
  readonly pausedBy: FailureClass | undefined;
  /** It gave up by itself (`--halt`). */
  readonly isHalted: boolean;
  /** Something that was counted or hashed did not add up. */
  readonly mismatch: boolean;
}

/** The exit code of a batch as it stands: of several that hold, the first of 15, 5, 12, 11, 13, 14, 10. */
export function exitOf(end: BatchEnd): ExitName {
  const { outcomes } = end;
  if (end.mismatch) return 'mismatch';
  if (end.pausedBy === 'BadToken') return 'api';
  if (end.pausedBy === 'OutOfCredits') return 'outOfCredits';
  if (!end.isClosed) return 'goesOn';
  if (outcomes.skipped > end.notChosen) return 'outOfCredits';
  if (end.isHalted) return 'halted';
  if (outcomes.unknown + outcomes.overdue > 0) return 'unknown';
  if (outcomes.unfit > 0) return 'quality';
  if (outcomes.failed + outcomes.cancelled > 0) return 'failures';
  return 'complete';
}
