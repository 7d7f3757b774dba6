import type { Command } from 'commander';
import { commandTree } from './command-tree.ts';
import { withOurWord } from './foreign-words.ts';
import { misreadHint } from './misread-words.ts';

/** The message of a usage error, with what is known of the mistake behind it. */
export function usageWords(message: string, program: Command, args: readonly string[]): string {
  const hint = misreadHint(program, args, message);
  return hint === undefined ? withOurWord(message, commandTree(program)) : `${message.trimEnd()}\n${hint}`;
}
