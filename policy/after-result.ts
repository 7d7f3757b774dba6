import type { Failure } from '../contract/failures.ts';
import type { Kind, Step } from '../contract/row-kinds.ts';
import { isLastStep } from './row-machine.ts';

/**
 * What a stored result means for its row. A result that failed a check was paid for, and may be right all the same: a
 * pause is silent. So its row ends with the file, even if steps remain, and a person decides.
 */

/** The part of a file's record that matters here. */
export interface CheckedFile {
  /** See `StoredFile`. */
  readonly unfit?: string;
}

export interface AfterResult<File> {
  /** Why the file did not pass, for the record of its request. */
  readonly failure?: Failure;
  /** For its row. */
  readonly effect:
    | { readonly state: 'waiting' }
    | { readonly outcome: 'succeeded'; readonly file: File }
    | { readonly outcome: 'unfit'; readonly failure: Failure; readonly file: File };
}

export function afterResult<File extends CheckedFile>(kind: Kind, step: Step, file: File): AfterResult<File> {
  if (file.unfit !== undefined) {
    const failure = unfitFailure(step, file.unfit);
    return { failure, effect: { outcome: 'unfit', failure, file } };
  }
  return { effect: isLastStep(kind, step) ? { outcome: 'succeeded', file } : { state: 'waiting' } };
}

function unfitFailure(step: Step, why: string): Failure {
  const message = `The result of its ${step} is ${why}. It was paid for and is kept; voxbatch does not fetch or pay for it again.`;
  return { class: 'Unfit', message: message.slice(0, 500), cause: `result is ${why}`.slice(0, 120) };
}
