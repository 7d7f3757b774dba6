import type { Failure } from '../../contract/failures.ts';
import type { Outcome, RowState, TakeReason } from '../../contract/outcomes.ts';
import type { Step } from '../../contract/row-kinds.ts';
import type { ResultFile } from '../records.ts';

/** Effect on the row, in the same transaction as a change of its charge. */
export type RowEffect = RowProgress | VoiceRefused | Retake | RowEnding;

/** Progress of an open row. */
export interface RowProgress {
  readonly state: RowState;
  /** The latest trouble with its result, which may still be fetched; null once the trouble is over. */
  readonly trouble?: Failure | null;
}

/**
 * The API has refused the row's voice as not ready. The row, and all others of its batch that would speak with that
 * voice, wait for it.
 */
export interface VoiceRefused {
  /** The id of the voice. */
  readonly refusedVoice: string;
  readonly refusal: Failure;
}

/**
 * An automatic new take from this step on, unless the row has had `most` of them since a person last decided; then it
 * ends as `otherwise` says.
 */
export interface Retake {
  readonly retake: Step;
  readonly reason: Extract<TakeReason, 'retake' | 'on-unknown'>;
  readonly most: number;
  readonly otherwise: RowEnding;
}

/**
 * The ending of a row whose further takes bring nothing better: the best result so far that did not pass. `error`: its
 * badness; lower is better.
 */
export interface Fallback {
  readonly ending: RowEnding;
  readonly error: number;
  /** Set if it waits for the file of a take that a person is going back to. */
  readonly returning?: Returning;
}

/** A row on its way back to a take. It is already at that take; its `ending` applies if the file does not come. */
export interface Returning {
  readonly take: number;
  /** User and host of the command. */
  readonly who: string;
  /** Its previous `returned_to`. */
  readonly from: number | null;
  /** Its previous fallback. Default: none. */
  readonly fallback?: Fallback;
}

/** How a row ends. */
export interface RowEnding {
  readonly outcome: Outcome;
  readonly failure?: Failure;
  readonly file?: ResultFile;
  readonly extraFiles?: readonly ResultFile[];
  readonly text?: string;
  /** For `unfit`: the badness of its file; lower is better, 1 if unknown. Default 1. */
  readonly error?: number;
}

export function toFallback(json: string | null): Fallback | undefined {
  return json === null ? undefined : (JSON.parse(json) as Fallback);
}
