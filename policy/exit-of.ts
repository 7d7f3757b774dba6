import type { ExitName } from '../contract/exit-codes.ts';
import type { FailureClass } from '../contract/failures.ts';
import { OUTCOME_FACTS, OUTCOMES, type Outcome } from '../contract/outcomes.ts';

/** What the exit code of a batch depends on. */
export interface BatchEnd {
  readonly outcomes: Readonly<Record<Outcome, number>>;
  /** Skipped rows that `--limit` or `--sample` left out. */
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

/** The exit codes of a batch, gravest first: if several apply, the first wins. */
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

/**
 * The exit code of a batch; see {@link EXITS_BY_SEVERITY}. An unfinished batch continues, unless something stands in
 * its way.
 */
export function exitOf(end: BatchEnd): ExitName {
  const held = new Set(end.isClosed ? exitsOfEnd(end) : []);
  if (end.mismatch) held.add('mismatch');
  if (end.pausedBy === 'BadToken') held.add('api');
  if (end.pausedBy === 'OutOfCredits') held.add('out-of-credits');
  return (
    EXITS_BY_SEVERITY.find((exit) => held.has(exit)) ??
    (end.isClosed ? 'complete' : end.isPaused ? 'paused' : 'unfinished')
  );
}

/**
 * The exit code of a closed batch with an undelivered hook: it is not over, and running the same command again delivers
 * the hook. A mismatch is graver.
 */
export function exitWithPendingHook(exit: ExitName): ExitName {
  return exit === 'mismatch' ? exit : 'unfinished';
}

function exitsOfEnd({ outcomes, notChosen, isHalted }: BatchEnd): readonly ExitName[] {
  const counted = { ...outcomes, skipped: outcomes.skipped - notChosen };
  const found = OUTCOMES.flatMap((outcome) => (counted[outcome] > 0 ? [OUTCOME_FACTS[outcome].exit] : []));
  return isHalted ? [...found, 'halted'] : found;
}
