/**
 * Finds job ids in a webhook's body of unknown format: JSON, a form, plain text. All of these keep letters, digits, `-`
 * and `_` unescaped, so an id is searched for by its longest part of only these characters, its key.
 */

/** A part of an id. */
const WORD = /[A-Za-z0-9_-]+/g;
/** A word of a body, or an escape of a form (`%3A`), which separates words. */
const WORD_OF_TEXT = /%[0-9A-Fa-f]{2}|[A-Za-z0-9_-]+/g;

/** Returns the key of a job id; usually the whole id. */
export function keyOf(jobId: string): string {
  let key = '';
  for (const [word] of jobId.matchAll(WORD)) if (word.length > key.length) key = word;
  return key;
}

/** Longer words are no keys, in characters. */
const MAX_KEY_LENGTH = 200;

/** Calls `use` with each word of a text that may be a key, in order. */
export function eachWord(text: string, use: (word: string) => void): void {
  WORD_OF_TEXT.lastIndex = 0;
  for (let found = WORD_OF_TEXT.exec(text); found !== null; found = WORD_OF_TEXT.exec(text)) {
    const [word] = found;
    if (word.length <= MAX_KEY_LENGTH && !word.startsWith('%')) use(word);
  }
}
