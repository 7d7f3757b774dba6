import type { Failure } from '../../contract/failures.ts';
import type { Outcome, RowState, TakeReason } from '../../contract/outcomes.ts';
import type { Step } from '../../contract/row-kinds.ts';
import type { ResultFile } from '../records.ts';

/** The effect of an attempt's verdict, or of its job's end, on its row, in the same transaction. */
export type RowEffect = RowProgress | VoiceRefused | Retake | RowEnding;

/** Progress of an open row. */
export interface RowProgress {
  readonly state: RowState;
  /** The latest trouble in fetching its result; null: the trouble is over. Omitted: unchanged. */
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
 * An automatic new take from the step `retake` on. If the row has had `most` automatic takes since a person last
 * decided, it ends as `otherwise` says instead.
 */
export interface Retake {
  readonly retake: Step;
  readonly reason: Extract<TakeReason, 'retake' | 'on-unknown'>;
  readonly most: number;
  readonly otherwise: RowEnding;
}

/** The ending of a row if its present take brings nothing better: its best result so far. */
export interface Fallback {
  readonly ending: RowEnding;
  /** How bad that result is; lower is better, 0 for one that passed all checks. */
  readonly error: number;
  /** Set if the row waits for the file of an earlier take, to which a person goes back. */
  readonly returning?: Returning;
}

/** A row on its way back to an earlier take. `returned_to` names it already; the fallback applies if no file comes. */
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
  /** For `unfit`: how bad its file is; lower is better. Default 1. */
  readonly error?: number;
}

/** Parses the column `fallback`. */
export function toFallback(json: string | null): Fallback | undefined {
  return json === null ? undefined : (JSON.parse(json) as Fallback);
}
