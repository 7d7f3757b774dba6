import type { Failure } from '../../contract/failures.ts';
import type { Outcome, RowState, TakeReason } from '../../contract/outcomes.ts';
import type { Step } from '../../contract/row-kinds.ts';
import type { ResultFile } from '../record-types.ts';

/** Effect on the row, in the same transaction as a change of its charge. */
export type RowEffect = RowProgress | VoiceRefused | Retake | RowEnding;

/** Progress of an open row. */
export interface RowProgress {
  readonly state: RowState;
  /** What went wrong with its result this time, although it may still be fetched; null: nothing any more. */
  readonly trouble?: Failure | null;
}

/** The row, and all of its batch that would speak with its voice, wait for that: the API has refused it as not ready. */
export interface VoiceRefused {
  /** The id of the voice. */
  readonly refusedVoice: string;
  readonly refusal: Failure;
}

/**
 * A new take from this step on, without asking anybody, unless the row has had `most` of them since a person last
 * decided: then it ends as `otherwise` says.
 */
export interface Retake {
  readonly retake: Step;
  readonly reason: Extract<TakeReason, 'retake' | 'on-unknown'>;
  readonly most: number;
  readonly otherwise: RowEnding;
}

/**
 * How a row ends if its further takes bring nothing better: with the best result so far that did not pass. `error`: how
 * bad that is, less is better.
 */
export interface Fallback {
  readonly ending: RowEnding;
  readonly error: number;
  /** What it waits for is the file of a take that a person goes back to. Default: it is not. */
  readonly returning?: Returning;
}

/** A row on its way back to a take: it stands there already, and its `ending` is how it ends if the file does not come. */
export interface Returning {
  readonly take: number;
  /** User and host of the command. */
  readonly who: string;
  /** Its `returned_to` until then. */
  readonly from: number | null;
  /** What it had kept besides until then. Default: nothing. */
  readonly fallback?: Fallback;
}

/** How a row ends. */
export interface RowEnding {
  readonly outcome: Outcome;
  readonly failure?: Failure;
  readonly file?: ResultFile;
  readonly extraFiles?: readonly ResultFile[];
  readonly text?: string;
  /** For `unfit`: how bad its file is, less is better, 1 if nobody knows. Default 1. */
  readonly error?: number;
}
