/**
 * Reads the API's limit on the length of texts from a refusal: `text must be at most 5000 characters`. The limit is not
 * published, so it is parsed from the wording.
 */

/** Lower numbers are not text limits. */
const MIN_TEXT_LIMIT = 20;
/** Max characters of a refusal that are read: the limit is in the first sentences. */
const MAX_WORDS = 2_000;
/** The refusal is about the length of a text, and counts characters. */
const IS_ABOUT_LENGTH =
  /character|\bchars?\b|too long|length|long(?:er)? than|text.*(?:exceed|limit|max)|exceed.*text/iu;
const COUNTS_OTHERWISE = /byte|\bkb\b|\bmb\b|second|minute|token|word|file|upload/iu;
/** Digits, perhaps in groups of three. */
const NUMBER = String.raw`\d{1,3}(?:[,.'\u00a0\u202f ]\d{3})+(?!\d)|\d+`;
const BOUND = String.raw`at most|up to|no more than|(?:longer|more|greater) than|max(?:imum)?|limit(?:ed)?|exceed(?:s|ed|ing)?|<=|≤`;
const BETWEEN = String.raw`(?:[\s.:=(]+(?:text|length|limit|size|of|is|to|the|allowed|maximum|characters|chars))*[\s.:=(]*`;
/** The number counts characters or has no unit; excludes jobs and codes. */
const NO_OTHER_UNIT = String.raw`(?=\s*(?:$|[^\p{L}\p{N}\s]|(?:characters?|chars?|but|and|got|for|allowed)\b))`;
/** A number stated as a bound. Other numbers are a position, a status or a code. */
const LIMIT = new RegExp(String.raw`(?:${BOUND})${BETWEEN}(${NUMBER})${NO_OTHER_UNIT}`, 'giu');
/** The same in the other order: `5000 characters max`. */
const LIMIT_FIRST = new RegExp(
  String.raw`(?<!\d)(${NUMBER})[\s-]*(?:characters?|chars?)\s+(?:max|limit|allowed)`,
  'giu',
);

/**
 * The limit that a refusal states, in characters; undefined if none. `length`: the refused text's length. Among several
 * bounds, returns the largest one below that length.
 */
export function textLimitIn(words: string, length: number): number | undefined {
  const message = words.slice(0, MAX_WORDS);
  if (!IS_ABOUT_LENGTH.test(message) || COUNTS_OTHERWISE.test(message)) return undefined;
  const named = [LIMIT, LIMIT_FIRST].flatMap((pattern) =>
    Array.from(message.matchAll(pattern), ([, digits = '']) => Number(digits.replace(/\D/gu, ''))),
  );
  const limits = named.filter((limit) => limit >= MIN_TEXT_LIMIT && limit < length);
  return limits.length === 0 ? undefined : Math.max(...limits);
}
