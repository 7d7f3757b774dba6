import type { ExitName } from '../contract/exit-codes.ts';
import type { FailureClass } from '../contract/failures.ts';
import { OUTCOME_FACTS, OUTCOMES, type Outcome } from '../contract/outcomes.ts';

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

/** The exit codes of a batch, the gravest first: of several that hold, the first wins. */
export const GRAVEST_FIRST = [
  'mismatch',
  'api',
  'outOfCredits',
  'halted',
  'unknown',
  'quality',
  'failures',
] as const satisfies readonly ExitName[];

/** The exit code of a batch as it stands; see {@link GRAVEST_FIRST}. One that has not ended goes on, unless something stands in its way. */
export function exitOf(end: BatchEnd): ExitName {
  const held = new Set(end.isClosed ? exitsOfEnd(end) : []);
  if (end.mismatch) held.add('mismatch');
  if (end.pausedBy === 'BadToken') held.add('api');
  if (end.pausedBy === 'OutOfCredits') held.add('outOfCredits');
  return GRAVEST_FIRST.find((exit) => held.has(exit)) ?? (end.isClosed ? 'complete' : 'goesOn');
}

function exitsOfEnd({ outcomes, notChosen, isHalted }: BatchEnd): readonly ExitName[] {
  const counted = { ...outcomes, skipped: outcomes.skipped - notChosen };
  const found = OUTCOMES.flatMap((outcome) => (counted[outcome] > 0 ? [OUTCOME_FACTS[outcome].exit] : []));
  return isHalted ? [...found, 'halted'] : found;
}
