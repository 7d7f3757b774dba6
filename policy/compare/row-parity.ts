import type { FailureClass } from '../../contract/failures.ts';
import { hasResult, isLeftOut, type Outcome } from '../../contract/outcomes.ts';
import type { Tolerances } from '../../contract/tolerances.ts';
import { alignWords, changesIn } from '../align-words.ts';

/** Compares a row of one batch with the same row of another (`voxbatch compare`). */

/** A pair of values: the first batch's, then the second's. */
export type Pair<T> = readonly [T, T];

/** The compared properties of a row in one of the batches. */
export interface RowSide {
  /** Null while the row is open. */
  readonly outcome: Outcome | null;
  /** Why it has no result. */
  readonly failure: FailureClass | null;
  /** Extension of its result; null without one. */
  readonly extension: string | null;
  /** Length of its result in seconds; null if there is none, or if it cannot be read. */
  readonly seconds: number | null;
  /** Words of its transcript; null without one. */
  readonly words: readonly string[] | null;
}

/**
 * The ways in which two rows can differ.
 *
 * - `input`: their requests differ.
 * - `outcome`: one has a result and the other has none, or they have none in different ways.
 * - `error`: both ended in the same way without a result, for different reasons.
 * - `format`: their results are of different types.
 * - `length`, `words`: by more than the tolerance.
 */
export const ROW_DIFFERENCES = ['input', 'outcome', 'error', 'format', 'length', 'words'] as const;
/** One way in which two compared rows differ. */
export type RowDifference = (typeof ROW_DIFFERENCES)[number];

/** Result of comparing two rows. */
export interface RowParity {
  /** `not-run`: one row was skipped or cancelled. `open`: one has not ended. Neither counts as a difference. */
  readonly type: 'compared' | 'not-run' | 'open';
  readonly differences: readonly RowDifference[];
  /** Difference of the second length from the first, as a share of the longer one; null if a length is missing. */
  readonly lengthChange: number | null;
  /** Words that differ, and words of the longer transcript; null if one is missing. */
  readonly words: { readonly different: number; readonly of: number } | null;
}

/** A difference of length that is always allowed, s: encoders round to frames, and pauses vary. */
const SLACK_SECONDS = 0.5;

/** Compares two rows. `differsInInput`: whether their requests differ, which the caller finds out. */
export function compareRows(
  sides: Pair<RowSide>,
  tolerances: Pick<Tolerances, 'length' | 'words'>,
  differsInInput = false,
): RowParity {
  const [one, other] = sides;
  const nothing = { differences: [], lengthChange: null, words: null };
  // A row that was not sent says nothing about the service.
  if (sides.some(({ outcome }) => isLeftOut(outcome))) return { type: 'not-run', ...nothing };
  if (sides.some(({ outcome }) => outcome === null)) return { type: 'open', ...nothing };
  const lengthChange = changeOfLength(sides);
  const words = differentWords(sides);
  const found: Readonly<Record<RowDifference, boolean>> = {
    input: differsInInput,
    outcome: endOf(one) !== endOf(other),
    error: endOf(one) === endOf(other) && one.failure !== other.failure,
    format: one.extension !== null && other.extension !== null && one.extension !== other.extension,
    length: lengthChange !== null && !isSimilarLength(sides, tolerances.length),
    words: words !== null && words.different > tolerances.words * words.of,
  };
  return { type: 'compared', differences: ROW_DIFFERENCES.filter((name) => found[name]), lengthChange, words };
}

/** Treats a reused result like a new one. */
function endOf({ outcome }: RowSide): Outcome | null {
  return hasResult(outcome) ? 'succeeded' : outcome;
}

function changeOfLength([one, other]: Pair<RowSide>): number | null {
  if (one.seconds === null || other.seconds === null) return null;
  const longer = Math.max(one.seconds, other.seconds);
  return longer === 0 ? 0 : (other.seconds - one.seconds) / longer;
}

function isSimilarLength([one, other]: Pair<RowSide>, tolerance: number): boolean {
  if (one.seconds === null || other.seconds === null) return true;
  const allowed = Math.max(SLACK_SECONDS, tolerance * Math.max(one.seconds, other.seconds));
  return Math.abs(one.seconds - other.seconds) <= allowed;
}

function differentWords([one, other]: Pair<RowSide>): RowParity['words'] {
  if (one.words === null || other.words === null) return null;
  return { different: wordDistance(one.words, other.words), of: Math.max(one.words.length, other.words.length) };
}

const SEGMENTER = new Intl.Segmenter('und', { granularity: 'word' });

/** Splits a text into words without case, punctuation and differences of Unicode form, in any language. */
export function wordsOf(text: string): readonly string[] {
  const plain = text.normalize('NFKC').toLowerCase();
  return Array.from(SEGMENTER.segment(plain)).flatMap(({ segment, isWordLike }) =>
    isWordLike === true ? [segment] : [],
  );
}

/**
 * Returns the edit distance between two texts, in words added, removed or replaced. Texts with too many differences
 * count as different in every word; see {@link alignWords}.
 */
export function wordDistance(one: readonly string[], other: readonly string[]): number {
  return changesIn(alignWords(one, other));
}
