import type { Command } from 'commander';
import { factsOf, type ExitName } from '../../contract/exit-codes.ts';

/** Why a command ended without doing its job. */
export interface FailedCommand {
  readonly exit: ExitName;
  readonly message: string;
  /** The command that helps; undefined: by the exit code. */
  readonly next?: string | undefined;
  /** Further facts for machines. */
  readonly facts?: object | undefined;
}

/**
 * The error of a command under `--json`, in one line: exit code and its name, message, next command. `path`: `voxbatch
 * run`.
 */
export function errorLine({ exit, message, next, facts }: FailedCommand, path: string): string {
  const { code } = factsOf(exit);
  return JSON.stringify({ exit, code, message, next: next ?? usualNext(exit, path), ...facts });
}

/** The command that helps where nothing better is known. Null: the message says to repeat the same one. */
function usualNext(exit: ExitName, path: string): string | null {
  const { next } = factsOf(exit);
  return next === '--help' ? `${path} --help` : (next ?? null);
}

/** True if a command line asks for JSON. */
export function asksForJson(args: readonly string[]): boolean {
  const end = args.indexOf('--');
  return args.slice(0, end < 0 ? undefined : end).includes('--json');
}

/** The command of a command line, with the program first: `voxbatch voices list`. */
export function pathOf(program: Command, args: readonly string[]): string {
  let command = program;
  let path = program.name();
  for (const word of args) {
    const next = command.commands.find((one) => one.name() === word);
    if (next === undefined) break;
    command = next;
    path += ` ${word}`;
  }
  return path;
}
