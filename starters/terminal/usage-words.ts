import type { Command, Help, Option } from 'commander';
import { shellWord } from '../../contract/shell-word.ts';

/**
 * Helps with wrong command lines: other tools' names for our commands and flags, and words that were parsed otherwise
 * than the user meant. {@link commandTree} lists all commands and flags.
 */

/** Returns a usage error's message, with a hint at the likely mistake if there is one. */
export function usageWords(error: string, program: Command, args: readonly string[]): string {
  // Commander begins a sentence there, and our words are the rest of one.
  const message = error.replace(' is invalid. expected ', ' is invalid: expected ');
  const hint = misreadHint(program, args, message);
  return hint === undefined ? withOurName(message, program, args) : `${message.trimEnd()}\n${hint}`;
}

/** Other tools' names for our commands. */
const COMMANDS: ReadonlyMap<string, string> = new Map([
  ...each(['retry', 'rerun', 'resubmit'], 'redrive'),
  ...each(['cancel', 'abort', 'kill'], 'stop'),
  ...each(['validate', 'check', 'lint', 'estimate', 'price', 'cost', 'dry-run'], 'plan'),
  ...each(['start', 'submit', 'continue'], 'run'),
  ...each(['ls', 'ps', 'batches'], 'list'),
  ...each(['show', 'info', 'get', 'describe'], 'status'),
  ...each(['follow', 'tail'], 'watch'),
  ...each(['set', 'config', 'limit'], 'tune'),
  ...each(['export', 'download', 'fetch'], 'results'),
  ...each(['serve', 'server', 'daemon'], 'up'),
  ...each(['mock', 'simulator'], 'simulate'),
  ...each(['balance', 'account', 'whoami'], 'profile'),
  ...each(['unpause'], 'resume'),
]);

/** Other tools' names for our flags. */
const FLAGS: ReadonlyMap<string, string> = new Map([
  ...each(['--output', '--output-dir', '--outdir', '--dir'], '--out'),
  ...each(['--concurrency', '--parallel', '--workers', '-j'], '--window'),
  ...each(['--retries', '--retry'], '--retakes'),
  ...each(['--max-cost', '--max-credits', '--max-spend'], '--budget'),
  ...each(['--force', '--no-input', '--non-interactive', '-f'], '--yes'),
  ...each(['--background', '-d'], '--detach'),
  ...each(['--dryrun', '--check', '--validate'], '--dry-run'),
  ...each(['--silent'], '--quiet'),
  ...each(['--debug'], '--verbose'),
]);

/** Flags and commands that do not exist, with what to use instead; with their command where others have the flag. */
const REPLACEMENTS: ReadonlyMap<string, string> = new Map([
  ['--no-cache', '--cache off'],
  ['--fresh', '--cache fresh'],
  ['--cached-only', '--cache only'],
  ['run --dry-run', 'voxbatch plan MANIFEST'],
  ['status --follow', 'voxbatch watch BATCH'],
  ['up --no-server', 'voxbatch worker'],
  ['voices preview', 'voxbatch say TEXT --voice VOICE'],
]);

const LOGS = 'For a row: voxbatch explain ROW. For the worker: .voxbatch/logs/worker.log, or run with --verbose.';

/**
 * Returns the message with our name for another tool's command or flag, or with the commands that do have the flag.
 * That replaces commander's guess by spelling.
 */
function withOurName(message: string, program: Command, [command = '']: readonly string[]): string {
  const [, what, word = ''] = /unknown (command|option) '([^']*)'/.exec(message) ?? [];
  const replacement = REPLACEMENTS.get(word) ?? REPLACEMENTS.get(`${command} ${word}`);
  let hint = replacement === undefined ? undefined : `Instead: ${replacement}`;
  if (what === 'command') hint ??= commandHint(word);
  if (what === 'option') hint ??= flagHint(word, commandTree(program));
  return hint === undefined ? message : `${message.replace(/\(Did you mean [^()]*\)/, '').trimEnd()}\n(${hint})`;
}

function commandHint(word: string): string | undefined {
  if (word === 'logs' || word === 'log') return LOGS;
  const ours = COMMANDS.get(word);
  return ours === undefined ? undefined : `Did you mean ${ours}?`;
}

function flagHint(word: string, commands: readonly CommandFacts[]): string | undefined {
  const ours = FLAGS.get(word) ?? word;
  const takers = commands.filter(({ flags }) => flags.some(({ words }) => words.includes(ours)));
  const names = takers.map(({ path }) => path).filter((path) => path !== '');
  if (names.length === 0) return undefined;
  const taken = names.length === 1 ? `Only ${names[0] ?? ''} takes ${ours}` : `These take ${ours}: ${names.join(', ')}`;
  return ours === word ? taken : `Did you mean ${ours}? ${taken}`;
}

/** Returns a map entry for each of another tool's words. */
function each(words: readonly string[], ours: string): [string, string][] {
  return words.map((word) => [word, ours]);
}

/** How commander parses a command line, where that may surprise the user. */
interface Reading {
  /** A flag in the place of the value of another one: `--voice --json`. */
  readonly swallowed: { readonly flag: string; readonly value: string } | undefined;
  /** Words that begin with a dash but do not look like flags: `-5 degrees`. */
  readonly dashed: readonly string[];
  /** The last flag with several values, or an optional one, and the last word that it takes. */
  readonly greedy: { readonly flag: string; readonly value: string } | undefined;
  /** Number of words that are neither flags nor flag values. */
  readonly operands: number;
}

/** Returns the message if a flag would be taken for another flag's value; undefined if none would. */
export function swallowedFlag(program: Command, args: readonly string[]): string | undefined {
  const { swallowed } = parse(program, args);
  if (swallowed === undefined) return undefined;
  const { flag, value } = swallowed;
  return `${flag} needs a value, and the next word is the flag ${value}. If it is meant to be the value: ${flag}=${value}.`;
}

/** Returns the likely cause of a usage error: how a word was parsed; undefined if none is known. */
function misreadHint(program: Command, args: readonly string[], message: string): string | undefined {
  const { dashed, greedy, operands } = parse(program, args);
  const [word] = dashed;
  if (word !== undefined && /unknown option|missing required argument|too many arguments/.test(message))
    return `(A word that begins with - is read as flags. To give it as it is, put it last, after --: -- ${shellWord(word)})`;
  const isAtFault = /missing required argument/.test(message) || message.includes(`"${greedy?.value ?? ''}"`);
  if (greedy === undefined || operands > 0 || !isAtFault) return undefined;
  return `(${greedy.flag} takes ${shellWord(greedy.value)} for its value. Any other word goes before the flag, or after --.)`;
}

/** Parses a command line as commander does, where a flag that needs a value takes the next word, whatever it is. */
function parse(program: Command, args: readonly string[]): Reading {
  let command = program;
  let swallowed: Reading['swallowed'];
  let greedy: Reading['greedy'];
  const dashed: string[] = [];
  let operands = 0;
  for (let at = 0; at < args.length; at++) {
    const word = args[at] ?? '';
    if (word === '--') {
      operands += args.length - at - 1;
      break;
    }
    const option = optionOf(command, word);
    if (option !== undefined) {
      const isList = option.variadic || option.optional;
      const next = args[at + 1];
      if (option.required && next !== undefined) {
        if (isFlag(command, next)) swallowed ??= { flag: word, value: next };
        at += 1;
      }
      if (!isList) continue;
      const values = option.required ? args.slice(at, at + 1) : [];
      while (isOperand(args[at + 1]) && (option.variadic || values.length === 0)) values.push(args[++at] ?? '');
      const value = values.at(-1);
      if (value !== undefined) greedy = { flag: word, value };
      continue;
    }
    if (isOperand(word)) {
      const child = command.commands.find((known) => known.name() === word);
      if (child === undefined) operands += 1;
      command = child ?? command;
    } else if (!/^(?:-[a-z]|--[a-z][\w-]*(?:=.*)?)$/is.test(word)) dashed.push(word);
  }
  return { swallowed, dashed, greedy, operands };
}

function isOperand(word: string | undefined): boolean {
  return word !== undefined && (word === '-' || !word.startsWith('-'));
}

function optionOf({ options }: Command, word: string): Command['options'][number] | undefined {
  return options.find(({ short, long }) => word === short || word === long);
}

function isFlag(command: Command, word: string): boolean {
  const name = word.startsWith('--') ? word.replace(/=.*/s, '') : word;
  return ['-h', '--help'].includes(word) || optionOf(command, name) !== undefined;
}

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
