import { shellWord } from '../contract/shell-word.ts';
import { messageOf } from '../contract/message-of.ts';
import { CommanderError, type Command } from 'commander';
import { EXIT_CODES, type ExitName, factsOf, viewExitAfter } from '../contract/exit-codes.ts';
import { ManifestError } from '../contract/manifest-problems.ts';
import { ExitError, NOT_LOGGED, usageError } from './exit-error.ts';
import { jsonLine, type RunContext, processOutput, type Output } from './terminal/output.ts';
import type { ErrorFacts, Views } from '../client/views.ts';
import { createProgram } from './program.ts';
import { wordsAfterTake, type RecordedTake, type TakeNote } from './recorded-take.ts';
import { swallowedFlag, usageWords } from './terminal/usage-words.ts';

export interface MainOptions {
  readonly atFaultPoint?: NonNullable<RunContext['atFaultPoint']>;
  /** Default: stdout and stderr of this process. */
  readonly output?: Output;
}

/**
 * Runs one command line and returns its exit code. Every error ends here: an {@link ExitError} with its message, a
 * usage error with commander's, anything else as an internal error with its stack. Under `--json` it is also a line of
 * data.
 */
export async function main(args: readonly string[], options: MainOptions = {}): Promise<number> {
  const { output: own, ...rest } = options;
  const given = await outputFor(args, own);
  let exit: ExitName = 'complete';
  const printed = { lines: 0 };
  const counted: Output = {
    ...given,
    data: (line) => {
      printed.lines += 1;
      given.data(line);
    },
  };
  const asked = machineForm(args);
  const output = asked === 'events' ? withEvents(given) : counted;
  const takeNote: TakeNote = {};
  const program = createProgram(
    {
      output,
      takeNote,
      ...rest,
      done: (name) => {
        exit = name;
      },
    },
    args,
  );
  try {
    const swallowed = swallowedFlag(program, args);
    if (swallowed !== undefined) throw usageError(swallowed);
    await program.parseAsync(withoutIdleHelp(program, args), { from: 'user' });
  } catch (error) {
    // A request for help.
    if (error instanceof CommanderError && error.exitCode === 0) return EXIT_CODES.complete.code;
    const { describeTrouble, exitErrorOf, repeatWords } = await import('./exit-of-problem.ts');
    const describe = (one: unknown): string | undefined => {
      const trouble = describeTrouble(one);
      return trouble === undefined ? undefined : `${trouble}${repeatWords(one, args[0] ?? '')}`;
    };
    const say = output.fail === undefined ? output.say : (): void => undefined;
    const failed = describeError(exitErrorOf(error), describe, { program, args, taken: takeNote.taken }, say);
    ({ exit } = failed);
    const view = errorView(failed, pathOf(program, args), takeNote.taken);
    output.fail?.({ ...view, message: failed.logged ?? view.message }, failed.stack);
    // A machine reads one line: that of the command, if it printed one.
    if (asked === 'line' && printed.lines === 0) output.data(jsonLine(view));
    output.event?.({ type: 'ended', ...view });
    return EXIT_CODES[exit].code;
  }
  output.event?.({ type: 'ended', message: null, next: null, ...viewExitAfter(exit, takeNote.taken?.next) });
  return EXIT_CODES[exit].code;
}

/** Prints an error for people, and returns its facts. */
function describeError(
  error: unknown,
  describeTrouble: (error: unknown) => string | undefined,
  { program, args, taken }: FailedLine,
  say: Output['say'],
): FailedCommand {
  const failed = (exit: ExitName, words: string): FailedCommand => {
    const message = taken === undefined ? words : wordsAfterTake(words, taken);
    say(`voxbatch: ${message}`);
    return { exit, message };
  };
  if (error instanceof CommanderError) {
    const message = usageWords(error.message.replace(/^error: /, ''), program, args);
    // Whoever has asked for nothing got the help instead.
    if (error.code !== 'commander.help') {
      say(`error: ${message}`);
      say(`Nothing was spent. See \`${pathOf(program, args)} --help\`.`);
    }
    return { exit: 'usage', message };
  }
  if (error instanceof ManifestError)
    return {
      ...failed('usage', error.message),
      next: nextAfterManifest(error, args),
      logged: withoutCells(error),
    };
  const trouble = describeTrouble(error);
  if (trouble !== undefined) return { ...failed('unreachable', trouble), personsNext: personsNextOf(error) };
  if (error instanceof ExitError) {
    const message = error.exit === 'usage' ? usageWords(error.message, program, args) : error.message;
    const { logged } = error;
    return {
      ...failed(error.exit, message),
      logged,
      next: error.next,
      facts: error.facts,
      personsNext: personsNextOf(error),
    };
  }
  const internal = failed('internal', `internal error: ${messageOf(error)}`);
  const stack = error instanceof Error ? error.stack : undefined;
  if (stack !== undefined) say(stack);
  say(`Nothing is lost. ${taken === undefined ? 'Running the same command again is safe. ' : ''}Please report this.`);
  // An answer of the API that nobody expected: its words may be those of a row.
  const isAnswer = error instanceof Error && 'failure' in error;
  return isAnswer ? { ...internal, logged: `internal error: ${error.name}` } : { ...internal, stack };
}

/**
 * The words of a command line. If its command does not exist, without its request for help: that would print the help
 * of the whole program, as if the command existed.
 */
function withoutIdleHelp(program: Command, args: readonly string[]): readonly string[] {
  let command = program;
  for (const word of args) {
    if (word.startsWith('-') || word === 'help' || command.commands.length === 0) return args;
    const next = command.commands.find((one) => one.name() === word);
    if (next === undefined) return args.filter((one) => one !== '--help' && one !== '-h');
    command = next;
  }
  return args;
}

/** Why a command ended without doing its job. */
interface FailedCommand {
  readonly exit: ExitName;
  readonly message: string;
  /** The command that helps; undefined: by the exit code. */
  readonly next?: string | undefined;
  /** What a person has to do before the same command can do its job; undefined: nothing that is known. */
  readonly personsNext?: string | undefined;
  /** Further facts for machines. */
  readonly facts?: ErrorFacts | undefined;
  /** The message for a log in JSON, if that may not have all of its words. */
  readonly logged?: string | undefined;
  /** Of an internal error. */
  readonly stack?: string | undefined;
}

/** A command line that ended with an error. `taken`: another take that it may have recorded by then. */
interface FailedLine {
  readonly program: Command;
  readonly args: readonly string[];
  readonly taken: RecordedTake | undefined;
}

/** The error of a command for a machine: exit code and its name, message, next command. `path`: `voxbatch run`. */
function errorView(
  { exit, message, next, facts, personsNext }: FailedCommand,
  path: string,
  taken: RecordedTake | undefined,
): Views['error'] {
  const view = viewExitAfter(exit, personsNext ?? taken?.next);
  return { ...view, message, next: next ?? view.next ?? usualNext(exit, path), ...facts };
}

/** The message without the cells that it quotes, which may be texts. */
function withoutCells({ message, problems }: ManifestError): string {
  return problems.reduce((words, { got }) => words.replaceAll(`; got ${got}`, `; got ${NOT_LOGGED}`), message);
}

/**
 * The command that follows when the file is mended: the same one, of the file that was meant; of no file, one that
 * writes an example.
 */
function nextAfterManifest({ missing }: ManifestError, args: readonly string[]): string {
  if (missing !== undefined && missing.meant === undefined) return 'voxbatch init';
  const words = args.map((word) => (word === missing?.given ? (missing.meant ?? word) : word));
  return ['voxbatch', ...words].map(shellWord).join(' ');
}

/** What an error, or what has caused it, leaves to a person: to wait does not help then. */
function personsNextOf(error: unknown): string | undefined {
  for (let at: unknown = error; at instanceof Error; at = at.cause)
    if ('personsNext' in at && typeof at.personsNext === 'string') return at.personsNext;
  return undefined;
}

/** The command that helps where nothing better is known. Null: the message says to repeat the same one. */
function usualNext(exit: ExitName, path: string): string | null {
  const { next } = factsOf(exit);
  return next === '--help' ? `${path} --help` : (next ?? null);
}

/** What a command line prints for a machine: one line of JSON, or an event a line. Undefined: it is for a person. */
function machineForm(args: readonly string[]): 'line' | 'events' | undefined {
  const words = flagWords(args);
  const hasJson = words.includes('--json');
  if (!asksForHelp(words) && (has(words, '--progress', 'json') || (hasJson && words[0] === 'watch'))) return 'events';
  return hasJson ? 'line' : undefined;
}

/**
 * Where a command line writes: to the given output, or to this process's, with stderr as a log in JSON if it asks for
 * that.
 */
async function outputFor(args: readonly string[], given: Output | undefined): Promise<Output> {
  const words = flagWords(args);
  const isLog = has(words, '--log', 'json') && !asksForHelp(words) && !words.some((word) => PRINTS_UNIT.test(word));
  if (!isLog) return given ?? processOutput();
  const { catchStrayLines, toJsonLog } = await import('./terminal/json-log.ts');
  if (given === undefined) catchStrayLines();
  return toJsonLog(given ?? processOutput(), machineForm(args) !== undefined);
}

/** With this, nothing stays that a log could be kept of: the data are a unit. */
const PRINTS_UNIT = /^--print-unit(?:=|$)/;

/** The words of a command line before `--`, which ends its flags. */
function flagWords(args: readonly string[]): readonly string[] {
  const end = args.indexOf('--');
  return args.slice(0, end < 0 ? undefined : end);
}

function has(words: readonly string[], flag: string, value: string): boolean {
  const at = words.indexOf(flag);
  return words.includes(`${flag}=${value}`) || (at >= 0 && words[at + 1] === value);
}

function asksForHelp(words: readonly string[]): boolean {
  return words.includes('--help') || words.includes('-h');
}

/** The same output where each line of data is an event. Data are JSON then. */
function withEvents(given: Output): Output {
  return {
    ...given,
    progress: 'json',
    event: (event) => {
      given.data(jsonLine(event));
    },
    data: (line) => {
      given.data(`{"type":"result","result":${line}}`);
    },
  };
}

/** The command of a command line, with the program first: `voxbatch voices list`. */
function pathOf(program: Command, args: readonly string[]): string {
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
