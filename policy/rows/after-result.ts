import type { Failure } from '../../contract/failures.ts';
import type { Step, StepChoice } from '../../contract/row-kinds.ts';
import { orRetake, type RetakeRules, type NewTake } from './new-take.ts';
import { isLastStep } from './row-machine.ts';

/**
 * What happens to a row once a step's result is stored. A result that failed a check (it is silent, or of another type)
 * was paid for, and may be right after all: an intended pause is silent too. So its row ends `unfit` with the file,
 * even if steps remain, and a person decides, unless the user has agreed to pay for retakes.
 */

/** The part of a file's record that decides. */
export interface CheckedFile {
  /** Why the file failed a check, as words that follow "is": `silent`. Absent if it passed. */
  readonly unfit?: string;
}

/** How a row ends with a result that failed a check. */
export interface UnfitEnding<File> {
  readonly outcome: 'unfit';
  readonly failure: Failure;
  readonly file: File;
  /** Badness of the file; lower is better. Default 1. */
  readonly error?: number;
}

/** The consequences of a stored result. */
export interface AfterResult<File> {
  /** Why the file did not pass, for the record of its request. */
  readonly failure?: Failure;
  /** The row's next state, its ending, or a new take. */
  readonly effect:
    | { readonly state: 'waiting' }
    | { readonly outcome: 'succeeded' | 'cached'; readonly file: File }
    | UnfitEnding<File>
    | NewTake<'retake', UnfitEnding<File>>;
}

/** Decides what happens to a row after the result of `step` is stored in `file`. */
export function afterResult<File extends CheckedFile>(
  row: StepChoice,
  step: Step,
  file: File,
  allowed: RetakeRules,
): AfterResult<File> {
  if (file.unfit !== undefined) {
    const message = `The result of its ${step} is ${file.unfit}. It was paid for and is kept.`;
    const cause = `result is ${file.unfit}`.slice(0, 120);
    const failure: Failure = { class: 'Unfit', message: message.slice(0, 500), cause };
    return { failure, effect: orRetake<UnfitEnding<File>>(step, { outcome: 'unfit', failure, file }, allowed) };
  }
  return { effect: isLastStep(row, step) ? { outcome: 'succeeded', file } : { state: 'waiting' } };
}
