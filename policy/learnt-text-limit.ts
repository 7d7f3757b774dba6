/**
 * The longest text that the API takes, as a refusal of it says: `text must be at most 5000 characters`. Nothing is
 * published about it, so it is learnt from the words.
 */

/** Shorter limits are no limits of texts. */
const LEAST = 20;
/** The refusal is about the length of a text, and counts characters. */
const IS_ABOUT_LENGTH =
  /character|\bchars?\b|too long|length|long(?:er)? than|text.*(?:exceed|limit|max)|exceed.*text/iu;
const COUNTS_OTHERWISE = /byte|\bkb\b|\bmb\b|second|minute|token|word|file|upload/iu;
/** Digits, perhaps in groups of three. */
const NUMBER = /\d{1,3}(?:[,.'\u00a0\u202f ]\d{3})+(?!\d)|\d+/gu;

/**
 * The limit that a refusal names, in characters; undefined if it names none. `length`: of the refused text. Of several
 * numbers it is the largest that this text is longer than: others may be a status, or the length itself.
 */
export function textLimitIn(message: string, length: number): number | undefined {
  if (!IS_ABOUT_LENGTH.test(message) || COUNTS_OTHERWISE.test(message)) return undefined;
  const named = Array.from(message.matchAll(NUMBER), ([digits]) => Number(digits.replace(/\D/gu, '')));
  const limits = named.filter((limit) => limit >= LEAST && limit < length);
  return limits.length === 0 ? undefined : Math.max(...limits);
}
