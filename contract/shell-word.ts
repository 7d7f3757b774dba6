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

/** A command that can follow, as data: programs start it with these words, people read it in a message. */
export interface NextCommand {
  /** The name after `voxbatch`: `run`, `cache prune`. */
  readonly command: string;
  /** Words after it, unquoted. */
  readonly args: readonly string[];
  /** What a person has to put in: the file that it reads from standard input. */
  readonly stdin?: string;
}

/** The command of this name with these words. */
export function nextCommand(command: string, ...args: readonly string[]): NextCommand {
  return { command, args };
}
