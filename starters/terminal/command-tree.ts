import type { Command, Help, Option } from 'commander';

/** A flag of a command, as in its help. */
export interface FlagFacts {
  /** As written in the help: `-y, --yes`, `--rate <n>`. */
  readonly flags: string;
  /** The words that can be typed: `-y`, `--yes`. */
  readonly words: readonly string[];
  readonly takesValue: boolean;
  readonly choices: readonly string[];
  readonly description: string;
}

/** A command, as in its help. */
export interface CommandFacts {
  /** Without the program's name: `` for the program itself, `run`, `voices list`. */
  readonly path: string;
  /** Everything after the program's name: `run [options] <manifest>`. */
  readonly usage: string;
  readonly description: string;
  readonly flags: readonly FlagFacts[];
  /** Words that may come next: names of commands, or choices of an argument. */
  readonly next: readonly { readonly word: string; readonly description: string }[];
}

/**
 * Every command of a program with its flags, the program itself first. Shell completion and the table of commands in
 * the guide are made from this, so neither can contradict `--help`.
 */
export function commandTree(program: Command): readonly CommandFacts[] {
  const walk = (command: Command, path: string): CommandFacts[] => {
    const help = command.createHelp();
    const children = command.commands.filter((child) => help.visibleCommands(command).includes(child));
    const facts = factsOf(command, path, help);
    return [facts, ...children.flatMap((child) => walk(child, `${path} ${child.name()}`.trim()))];
  };
  return walk(program, '');
}

function factsOf(command: Command, path: string, help: Help): CommandFacts {
  const argumentChoices = command.registeredArguments.flatMap((argument) => argument.argChoices ?? []);
  return {
    path,
    usage: `${path} ${command.usage()}`.trim(),
    description: command.description(),
    flags: help.visibleOptions(command).map((option) => flagOf(option, help)),
    next: [
      ...help.visibleCommands(command).map((child) => ({ word: child.name(), description: child.description() })),
      ...argumentChoices.map((word) => ({ word, description: '' })),
    ],
  };
}

function flagOf(option: Option, help: Help): FlagFacts {
  return {
    flags: option.flags,
    words: [option.short, option.long].filter((word) => word != null),
    takesValue: option.required || option.optional,
    choices: option.argChoices ?? [],
    description: help.optionDescription(option),
  };
}
