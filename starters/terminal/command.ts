import { continueCommand, type ContinuedBatch } from '../../client/look/continue-command.ts';
import type { NextCommand } from '../../contract/next-command.ts';
import { shellWord } from '../../contract/shell-word.ts';

/** A command as a person can paste it into a POSIX shell. */
export function commandLine({ command, args, stdin }: NextCommand): string {
  const words = ['voxbatch', command, ...args.map(shellWord)].join(' ');
  return stdin === undefined ? words : `${words} < ${stdin}`;
}

/** The command that continues a batch; see {@link continueCommand}. */
export function goOnCommand(batch: ContinuedBatch, out?: string | null): string {
  return commandLine(continueCommand(batch, out));
}
