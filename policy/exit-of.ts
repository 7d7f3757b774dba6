import type { ExitName } from '../contract/exit-codes.ts';
import type { FailureClass } from '../contract/failures.ts';
import { OUTCOME_FACTS, OUTCOMES, type Outcome } from '../contract/outcomes.ts';

/** What the exit code of a batch depends on. */
export interface BatchEnd {
  readonly outcomes: Readonly<Record<Outcome, number>>;
  /** Number of the skipped rows that `--limit` or `--sample` left out. They do not affect the exit code. */
  readonly notChosen: number;
  /** True if every row has an outcome. */
  readonly isClosed: boolean;
  /** True if it is paused, by a person or by itself. */
  readonly isPaused: boolean;
  /** Why the batch paused by itself, if it is paused now. */
  readonly pausedBy: FailureClass | undefined;
  /** True if `--halt` ended it. */
  readonly isHalted: boolean;
  /** True if a count, hash or sum did not add up. */
  readonly mismatch: boolean;
}

/** Exits of a batch, the most severe first: if several apply, the first one wins. */
export const EXITS_BY_SEVERITY = [
  'mismatch',
  'api',
  'out-of-credits',
  'skipped',
  'halted',
  'unknown',
  'unfit',
  'failures',
] as const satisfies readonly ExitName[];

/** The exit of a batch whose rows have ended; the compiler asks for the rank of a new outcome's exit. */
type RankedExit = (typeof EXITS_BY_SEVERITY)[number] | 'complete';

/** Returns the exit of a batch: the most severe one that applies. */
export function exitOf(end: BatchEnd): ExitName {
  const exits = new Set<RankedExit>(end.isClosed ? exitsOfClosed(end) : []);
  if (end.mismatch) exits.add('mismatch');
  if (end.pausedBy === 'BadToken') exits.add('api');
  if (end.pausedBy === 'OutOfCredits') exits.add('out-of-credits');
  const worst = EXITS_BY_SEVERITY.find((exit) => exits.has(exit));
  if (worst !== undefined) return worst;
  if (end.isClosed) return 'complete';
  return end.isPaused ? 'paused' : 'unfinished';
}

/**
 * Returns the exit of a closed batch with an undelivered hook. `exit`: what it would be without the hook. It becomes
 * `unfinished`, because running the same command again delivers the hook, except that a mismatch is more severe.
 */
export function exitWithPendingHook(exit: ExitName): ExitName {
  return exit === 'mismatch' ? exit : 'unfinished';
}

function exitsOfClosed({ outcomes, notChosen, isHalted }: BatchEnd): readonly RankedExit[] {
  const counted = { ...outcomes, skipped: outcomes.skipped - notChosen };
  const found = OUTCOMES.flatMap((outcome) => (counted[outcome] > 0 ? [OUTCOME_FACTS[outcome].exit] : []));
  return isHalted ? [...found, 'halted'] : found;
}
