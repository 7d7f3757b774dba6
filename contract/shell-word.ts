import { urlSchemeOf } from './urls.ts';

/** Quotes a word for a POSIX shell if needed, because users copy suggested commands verbatim. */
export function shellWord(word: string): string {
  return /^[\w./:@%+=,-]+$/u.test(word) ? word : quoted(word);
}

/** Like {@link shellWord}, for a path argument: also keeps it from being read as a flag. */
export function fileWord(path: string): string {
  return shellWord(path.startsWith('-') ? `./${path}` : path);
}

/** Puts a word in single quotes, needed or not. */
export function quoted(word: string): string {
  return `'${word.replaceAll("'", String.raw`'\''`)}'`;
}

/**
 * Returns the shell command that points voxbatch to a ledger that has moved. Into a database, its owner has moved it,
 * who may be another user than that of normal commands, so the text says so.
 */
export function exportLedgerCommand(place: string): string {
  const user = urlSchemeOf(place) === undefined ? '' : ' (with the user that your commands have there)';
  return `export VOXBATCH_LEDGER=${shellWord(place)}${user}`;
}

/** A suggested next command as data: programs run it, messages show it. */
export interface NextCommand {
  /** The name after `voxbatch`: `run`, `cache prune`. */
  readonly command: string;
  /** Words after it, unquoted. */
  readonly args: readonly string[];
  /** Placeholder for the file that the user must pipe to standard input. */
  readonly stdin?: string;
}

/** Returns a command with its words. */
export function nextCommand(command: string, ...args: readonly string[]): NextCommand {
  return { command, args };
}
