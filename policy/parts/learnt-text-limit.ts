/**
 * The longest text that the API takes, as a refusal of it says: `text must be at most 5000 characters`. Nothing is
 * published about it, so it is learnt from the words.
 */

/** Shorter limits are no limits of texts. */
const LEAST = 20;
/** How much of a refusal is read, in characters: whoever refuses says so in the first sentences. */
const MOST_WORDS = 2_000;
/** The refusal is about the length of a text, and counts characters. */
const IS_ABOUT_LENGTH =
  /character|\bchars?\b|too long|length|long(?:er)? than|text.*(?:exceed|limit|max)|exceed.*text/iu;
const COUNTS_OTHERWISE = /byte|\bkb\b|\bmb\b|second|minute|token|word|file|upload/iu;
/** Digits, perhaps in groups of three. */
const NUMBER = String.raw`\d{1,3}(?:[,.'\u00a0\u202f ]\d{3})+(?!\d)|\d+`;
const BOUND = String.raw`at most|up to|no more than|(?:longer|more|greater) than|max(?:imum)?|limit(?:ed)?|exceed(?:s|ed|ing)?|<=|≤`;
const BETWEEN = String.raw`(?:[\s.:=(]+(?:text|length|limit|size|of|is|to|the|allowed|maximum|characters|chars))*[\s.:=(]*`;
/** A number of characters, or of nothing that is named: not of jobs, and no code. */
const NO_OTHER_UNIT = String.raw`(?=\s*(?:$|[^\p{L}\p{N}\s]|(?:characters?|chars?|but|and|got|for|allowed)\b))`;
/** A number that is said to be a bound. Other numbers are a position, a status, a code. */
const LIMIT = new RegExp(String.raw`(?:${BOUND})${BETWEEN}(${NUMBER})${NO_OTHER_UNIT}`, 'giu');
/** The same in the other order: `5000 characters max`. */
const LIMIT_FIRST = new RegExp(
  String.raw`(?<!\d)(${NUMBER})[\s-]*(?:characters?|chars?)\s+(?:max|limit|allowed)`,
  'giu',
);

/**
 * The limit that a refusal names, in characters; undefined if it names none. `length`: of the refused text. Of several
 * bounds it is the largest that this text is longer than.
 */
export function textLimitIn(words: string, length: number): number | undefined {
  const message = words.slice(0, MOST_WORDS);
  if (!IS_ABOUT_LENGTH.test(message) || COUNTS_OTHERWISE.test(message)) return undefined;
  const named = [LIMIT, LIMIT_FIRST].flatMap((pattern) =>
    Array.from(message.matchAll(pattern), ([, digits = '']) => Number(digits.replace(/\D/gu, ''))),
  );
  const limits = named.filter((limit) => limit >= LEAST && limit < length);
  return limits.length === 0 ? undefined : Math.max(...limits);
}
