/** Quotes a word for a POSIX shell, where that is needed: a command that a message advises is copied as it stands. */
export function shellWord(word: string): string {
  return /^[\w./:@%+=,-]+$/u.test(word) ? word : quoted(word);
}

/** The same for a path that a command takes as an argument: none is read as a flag. */
export function fileWord(path: string): string {
  return shellWord(path.startsWith('-') ? `./${path}` : path);
}

/** The same word in single quotes, needed or not. */
export function quoted(word: string): string {
  return `'${word.replaceAll("'", String.raw`'\''`)}'`;
}
