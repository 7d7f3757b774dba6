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
