import type { RowSpec } from '../contract/row-kinds.ts';
import { spokenSeconds } from './spoken-seconds.ts';

/** Results of a voice that have to be known before one is judged by them. */
const LEAST_KNOWN = 20;
/** Shorter texts say little: pauses before and after count too much. */
const LEAST_SECONDS = 4;
/** How far from the usual pace a result must be, both ways; and how many times farther than the others usually are. */
const FACTOR = 2;
const DEVIATIONS = 8;

/** What the pace of a result depends on. */
export type PacedSpeech = Pick<RowSpec, 'text' | 'voice' | 'engine' | 'speed' | 'language'>;

/** What is odd about how long speech takes. */
export type OddPace = 'far too long for its text' | 'far too short for its text';

/**
 * Compares how long speech takes with how long its voice usually takes for such a text: a third of a text, or another
 * voice, may be a whole file in good order. Cautious: it judges only long plain texts of a voice of which many results
 * are known, and by their median, so that a few bad ones do not spoil it.
 *
 * @param known the paces of earlier results with this {@link paceKeyOf}
 */
export function judgePace(known: readonly number[], pace: number): OddPace | undefined {
  if (known.length < LEAST_KNOWN) return undefined;
  const usual = medianOf(known);
  const deviation = medianOf(known.map((one) => Math.abs(one - usual)));
  const away = pace - usual;
  if (Math.abs(away) <= Math.max(Math.log(FACTOR), DEVIATIONS * deviation)) return undefined;
  return away > 0 ? 'far too long for its text' : 'far too short for its text';
}

/** How much longer than such a text usually takes with any voice, as a logarithm. */
export function paceOf(spec: PacedSpeech, seconds: number): number {
  return Math.log(seconds / spokenSeconds(spec));
}

/** Results with the same key have paces that can be compared. */
export function paceKeyOf({ text = '', voice = '', engine = '', speed = 1, language = '' }: PacedSpeech): string {
  return JSON.stringify([voice, engine, speed, language, isDense(text)]);
}

/** Whether a text is long and plain enough for its speech to be judged. */
export function hasPace({ text = '', speed = 1 }: Pick<PacedSpeech, 'text' | 'speed'>): boolean {
  return spokenSeconds({ text, speed }) >= LEAST_SECONDS && isPlain(text);
}

/** Numbers, links, tags and directions take longer or shorter than their letters tell. */
function isPlain(text: string): boolean {
  const letters = text.match(/[\p{L}\p{M}\s]/gu)?.length ?? 0;
  return letters >= 0.9 * text.length && !/[<>[\]{}]|\.{3}|…/u.test(text);
}

/** Scripts with a syllable or a word in a character have a pace of their own. */
function isDense(text: string): boolean {
  const dense = text.match(/[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}]/gu)?.length ?? 0;
  return dense * 2 > text.length;
}

function medianOf(values: readonly number[]): number {
  const sorted = values.toSorted((one, other) => one - other);
  return sorted[sorted.length >> 1] ?? 0;
}
