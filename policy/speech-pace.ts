import type { RowSpec } from '../contract/row-kinds.ts';
import { spokenSeconds } from './spoken-seconds.ts';

/** Results of a voice that have to be known before one is judged by them. */
const LEAST_KNOWN = 20;
/** Results that are kept for a voice. */
const MOST_KNOWN = 200;
/** Shorter texts say little: pauses before and after count too much. */
const LEAST_SECONDS = 4;
/** How far from the usual pace a result must be, both ways; and how many times farther than the others usually are. */
const FACTOR = 2;
const DEVIATIONS = 8;

/** What the pace of a result depends on. */
type PacedSpeech = Pick<RowSpec, 'text' | 'voice' | 'engine' | 'speed' | 'language'>;

/**
 * Compares how long speech takes with how long its voice usually takes for such a text: a third of a text, or another
 * voice, may be a whole file in good order. Free, and cautious: it judges only long plain texts of a voice of which many
 * results are known, and by their median, so that a few bad ones do not spoil it. What it finds odd it does not learn
 * from.
 */
export class SpeechPaces {
  readonly #known = new Map<string, number[]>();

  /** Learns the length of a result, unless it is odd; says what is. */
  judge(spec: PacedSpeech, seconds: number): 'far too long for its text' | 'far too short for its text' | undefined {
    const { text = '', voice = '', engine = '', speed = 1, language = '' } = spec;
    const expected = spokenSeconds({ text, speed });
    if (expected < LEAST_SECONDS || seconds <= 0 || !isPlain(text)) return undefined;
    const name = JSON.stringify([voice, engine, speed, language, isDense(text)]);
    const paces = this.#known.get(name) ?? [];
    const pace = Math.log(seconds / expected);
    if (paces.length >= LEAST_KNOWN) {
      const usual = medianOf(paces);
      const deviation = medianOf(paces.map((one) => Math.abs(one - usual)));
      const away = pace - usual;
      if (Math.abs(away) > Math.max(Math.log(FACTOR), DEVIATIONS * deviation)) {
        return away > 0 ? 'far too long for its text' : 'far too short for its text';
      }
    }
    this.#known.set(name, [...paces, pace].slice(-MOST_KNOWN));
    return undefined;
  }
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
