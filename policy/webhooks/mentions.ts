/**
 * Finds ids of jobs in a text of unknown form: JSON however nested, a form, plain words. Such texts keep letters,
 * digits, `-` and `_` as they are, so ids are looked for by their longest part that has only these.
 */
const WORD = /[A-Za-z0-9_-]+/g;
/** The same in a text that may escape other characters as a form does (`%3A`), which end a word. */
const WORD_OF_TEXT = /%[0-9A-Fa-f]{2}|[A-Za-z0-9_-]+/g;

/** The part of an id that a text is searched for; the whole id, usually. */
export function keyOf(jobId: string): string {
  let key = '';
  for (const [word] of jobId.matchAll(WORD)) if (word.length > key.length) key = word;
  return key;
}

/** The longest word that can be the key of an id. */
const LONGEST = 200;

/** Calls back for each word of a text that may be the key of an id, in order. */
export function eachWord(text: string, use: (word: string) => void): void {
  WORD_OF_TEXT.lastIndex = 0;
  for (let found = WORD_OF_TEXT.exec(text); found !== null; found = WORD_OF_TEXT.exec(text)) {
    const [word] = found;
    if (word.length <= LONGEST && !word.startsWith('%')) use(word);
  }
}
