import type { Failure } from '../../contract/failures.ts';
import type { Step, StepChoice } from '../../contract/row-kinds.ts';
import { orRetake, type RetakeRules, type NewTake } from './new-take.ts';
import { isLastStep } from './row-machine.ts';

/**
 * The effect of a stored result on its row. A result that failed a check was paid for, and may be right after all: a
 * pause is silent too. So its row ends with the file, even if steps remain, and a person decides, unless the user has
 * agreed to pay for retakes.
 */

/** The part of a file's record that matters here. */
export interface CheckedFile {
  /** See `StoredFile`. */
  readonly unfit?: string;
}

/** The row ends with a result that did not pass. */
export interface UnfitEnding<File> {
  readonly outcome: 'unfit';
  readonly failure: Failure;
  readonly file: File;
  /** Badness of the file; lower is better. Default 1. */
  readonly error?: number;
}

export interface AfterResult<File> {
  /** Why the file did not pass, for the record of its request. */
  readonly failure?: Failure;
  /** For its row. */
  readonly effect:
    | { readonly state: 'waiting' }
    | { readonly outcome: 'succeeded' | 'cached'; readonly file: File }
    | UnfitEnding<File>
    | NewTake<'retake', UnfitEnding<File>>;
}

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
