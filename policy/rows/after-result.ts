import type { Failure } from '../../contract/failures.ts';
import type { Control } from '../../contract/outcomes.ts';
import type { Step, StepChoice } from '../../contract/row-kinds.ts';
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

/** A new take, unless the row has had `most` of them. */
export interface Retaken<File> {
  readonly retake: Step;
  readonly reason: 'retake';
  readonly most: number;
  readonly otherwise: UnfitEnding<File>;
}

export interface AfterResult<File> {
  /** Why the file did not pass, for the record of its request. */
  readonly failure?: Failure;
  /** For its row. */
  readonly effect:
    | { readonly state: 'waiting' }
    | { readonly outcome: 'succeeded' | 'cached'; readonly file: File }
    | UnfitEnding<File>
    | Retaken<File>;
}

/** What the user allows: retakes of a row, and whether the batch may continue. */
export interface Allowed {
  readonly retakes: number;
  readonly control: Control;
}

export function afterResult<File extends CheckedFile>(
  row: StepChoice,
  step: Step,
  file: File,
  allowed: Allowed,
): AfterResult<File> {
  if (file.unfit !== undefined) {
    const failure = unfitFailure(step, file.unfit);
    return { failure, effect: afterUnfit(step, { failure, file }, allowed) };
  }
  return { effect: isLastStep(row, step) ? { outcome: 'succeeded', file } : { state: 'waiting' } };
}

/** Ends the row with this step's failed result, or makes it again if the user pays for retakes. */
export function afterUnfit<File>(
  step: Step,
  unfit: Omit<UnfitEnding<File>, 'outcome'>,
  { retakes, control }: Allowed,
): UnfitEnding<File> | Retaken<File> {
  const otherwise = { outcome: 'unfit', ...unfit } as const;
  if (retakes === 0 || control === 'stopping') return otherwise;
  return { retake: step, reason: 'retake', most: retakes, otherwise };
}

function unfitFailure(step: Step, why: string): Failure {
  const message = `The result of its ${step} is ${why}. It was paid for and is kept.`;
  return { class: 'Unfit', message: message.slice(0, 500), cause: `result is ${why}`.slice(0, 120) };
}
