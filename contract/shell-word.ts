/** Quotes a word for a POSIX shell, where that is needed: a command that a message advises is copied as it stands. */
export function shellWord(word: string): string {
  return /^[\w./:@%+=,-]+$/u.test(word) ? word : quoted(word);
}

/** The same word in single quotes, needed or not. */
export function quoted(word: string): string {
  return `'${word.replaceAll("'", String.raw`'\''`)}'`;
}
