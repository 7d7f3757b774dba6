/**
 * The units that the API charges by, and how they convert to credits. Prices are in `operations.ts`; the user's own are
 * in the config file. The simulator charges by the same rules.
 */

/** The billable content of a request. Whoever prices one states every property, so the compiler finds them all. */
export interface BilledWork {
  readonly text: string | undefined;
  /** Length of the billed media, in seconds. */
  readonly duration: number | undefined;
  /** The number in the column that an operation of a user's own is billed by. */
  readonly number: number | undefined;
}

interface PriceUnit {
  /** Text after a number of credits. */
  readonly words: string;
  /** The property of the work that the price depends on; null for a fixed price. */
  readonly reads: keyof BilledWork | null;
  /** Returns the price in credits; null if that property is unknown. */
  readonly cost: (tariff: Tariff, work: BilledWork) => number | null;
}

/** Every unit. A new one is an entry here. */
export const PRICE_UNITS = {
  /** Per character of the text, CJK characters counted as `cjkFactor` characters; rounded up per request. */
  character: {
    words: 'per character',
    reads: 'text',
    cost: ({ credits, cjkFactor = 1 }, { text }) =>
      text === undefined ? null : Math.ceil(tidy(countCharacters(text, cjkFactor) * credits)),
  },
  /** Per started second of media. */
  second: {
    words: 'per started second',
    reads: 'duration',
    cost: ({ credits }, { duration }) => (duration === undefined ? null : tidy(Math.ceil(duration) * credits)),
  },
  /** Per unit of that number, not rounded. */
  number: {
    words: 'per unit of its number column',
    reads: 'number',
    cost: ({ credits }, { number }) => (number === undefined ? null : tidy(number * credits)),
  },
  /** Per request. */
  job: { words: 'per request', reads: null, cost: ({ credits }) => credits },
} as const satisfies Readonly<Record<string, PriceUnit>>;

/** The names of the units. */
export const PRICE_UNIT_NAMES = Object.keys(PRICE_UNITS) as readonly (keyof typeof PRICE_UNITS)[];

/** A price per unit, in credits. */
export interface Tariff {
  readonly unit: keyof typeof PRICE_UNITS;
  readonly credits: number;
  /** How many characters a CJK character counts as; only with `character`. Default 1. */
  readonly cjkFactor?: number;
}

/** A {@link Tariff}, and where it comes from. */
export interface Price extends Tariff {
  /** True if the figure is our reading of public material, not the user's setting. */
  readonly estimate: boolean;
}

/** Returns the price of one request in credits; null if it cannot be known (no text, no duration, no number). */
export function costOf(tariff: Tariff, work: BilledWork): number | null {
  return PRICE_UNITS[tariff.unit].cost(tariff, work);
}

/**
 * Characters billed as CJK: Han, Hiragana, Katakana and Hangul with their extensions, CJK punctuation (U+3000 to
 * U+303F) and full-width forms. The last two are our cautious reading: a quote should not be too low.
 */
const CJK = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\u3000-\u303F\uFF01-\uFFEE]/u;
/** No CJK character comes before Hangul Jamo, so most texts never reach the regular expression above. */
const FIRST_CJK = 0x1100;

/** Counts the code points of the text, each CJK one `cjkFactor` times. */
function countCharacters(text: string, cjkFactor: number): number {
  let plain = 0;
  let cjk = 0;
  for (const character of text) {
    const codePoint = character.codePointAt(0) ?? 0;
    if (codePoint >= FIRST_CJK && CJK.test(character)) cjk++;
    else plain++;
  }
  return plain + cjk * cjkFactor;
}

/** Removes floating-point error (30 × 0.1 = 3.0000000000000004), so that rounding up stays fair. */
function tidy(credits: number): number {
  // Halves are exact.
  if (Number.isInteger(2 * credits)) return credits;
  return Number(credits.toPrecision(12));
}

/** Returns the sum of prices in credits; null if any price is unknown. */
export function sumOfPrices(prices: readonly (number | null)[]): number | null {
  const known = prices.filter((price) => price !== null);
  return known.length < prices.length ? null : roundCredits(known.reduce((sum, price) => sum + price, 0));
}

/** Rounds a sum of credits to millionths, so that `0.1 + 0.2` is `0.3`. */
export function roundCredits(credits: number): number {
  return Math.round(credits * 1e6) / 1e6;
}
