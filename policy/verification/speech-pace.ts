import { canonicalJson } from '../../contract/canonical-json.ts';
import type { RowSpec } from '../../contract/row-kinds.ts';
import { spokenSeconds } from '../money/spoken-seconds.ts';

/** Results of a voice that have to be known before one is judged by them. */
const LEAST_KNOWN = 20;
/** Shorter texts say little: pauses before and after count too much. */
const LEAST_SECONDS = 4;
/** How far from the usual pace a result must be, both ways; and how many times farther than the others usually are. */
const FACTOR = 2;
const DEVIATIONS = 8;
/** Odd results one after another that agree on a pace, after which it is the voice's new one. */
const LEAST_AGREEING = 5;
/** Results that are kept. */
const MOST_KNOWN = 200;

/** What the pace of a result depends on: all that the row says of how it is to be spoken. */
export type PacedSpeech = Pick<RowSpec, 'text' | 'voice' | 'engine' | 'speed' | 'language' | 'extra'>;

/** What is known of the pace of a voice. */
export interface KnownPaces {
  /** Of the last results that were not odd, oldest first. */
  readonly usual: readonly number[];
  /** Of the results since then, which agree with each other. */
  readonly odd: readonly number[];
}

export const NO_PACES: KnownPaces = { usual: [], odd: [] };

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

/**
 * What is known after a result. Odd ones are not learnt, unless several one after another agree: then it is the voice
 * that has changed. What was known before counts no longer, and nothing is judged until enough is known of the new pace.
 */
export function learnPace({ usual, odd }: KnownPaces, pace: number): KnownPaces {
  if (judgePace(usual, pace) === undefined) return { usual: [...usual, pace].slice(-MOST_KNOWN), odd: [] };
  // One that disagrees begins anew, so that results which are bad in several ways are not taken for a pace.
  const agrees = odd.every((one) => Math.abs(one - pace) <= Math.log(FACTOR));
  const last = agrees ? [...odd, pace] : [pace];
  return last.length < LEAST_AGREEING ? { usual, odd: last } : { usual: last, odd: [] };
}

/** How much longer than such a text usually takes with any voice, as a logarithm. */
export function paceOf(spec: PacedSpeech, seconds: number): number {
  return Math.log(seconds / spokenSeconds(spec));
}

/** Results with the same key have paces that can be compared. */
export function paceKeyOf({ text = '', voice, engine, speed = 1, language, extra }: PacedSpeech): string {
  return canonicalJson([voice ?? '', engine ?? '', speed, language ?? '', extra, isDense(text)]);
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
