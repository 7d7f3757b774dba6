import { shellWord } from '../contract/shell-word.ts';
import { messageOf } from '../contract/message-of.ts';
import { CommanderError, type Command } from 'commander';
import { EXIT_CODES, type ExitName, factsOf, viewExitAfter } from '../contract/exit-codes.ts';
import { ManifestError } from '../contract/manifest-problems.ts';
import { ExitError, NOT_LOGGED, usageError } from './exit-error.ts';
import { isLog, jsonLine, type RunContext, processOutput, type Output } from './terminal/output.ts';
import type { ErrorFacts, Views } from '../client/views.ts';
import { createProgram } from './program.ts';
import { messageAfterTake, type RecordedTake, type TakeNote } from './recorded-take.ts';
import { swallowedFlag, usageWords } from './terminal/usage-words.ts';

/** What {@link main} uses of its process, for tests and for programs that call it. */
export interface MainOptions {
  /** Called at named moments, so that tests can kill the process there. Default: no-op. */
  readonly atFaultPoint?: NonNullable<RunContext['atFaultPoint']>;
  /** Default: stdout and stderr of this process. */
  readonly output?: Output;
}

/**
 * Runs one command line and returns its exit code. Never rejects: an {@link ExitError} ends with its message, a wrong
 * command line with commander's, anything else as an internal error with its stack. With `--json`, errors are also a
 * line on stdout.
 */
export async function main(args: readonly string[], options: MainOptions = {}): Promise<number> {
  const plainOutput = await outputFor(args, options.output);
  let exit: ExitName = 'complete';
  let dataLines = 0;
  const countingOutput: Output = {
    ...plainOutput,
    data: (line) => {
      dataLines += 1;
      plainOutput.data(line);
    },
  };
  const jsonForm = jsonFormOf(args);
  const output = jsonForm === 'events' ? withEvents(plainOutput) : countingOutput;
  const takeNote: TakeNote = {};
  const program = createProgram(
    {
      output,
      takeNote,
      ...(options.atFaultPoint && { atFaultPoint: options.atFaultPoint }),
      done: (name) => {
        exit = name;
      },
    },
    args,
  );
  try {
    // A flag that commander would take for the value of the flag before it.
    const swallowed = swallowedFlag(program, args);
    if (swallowed !== undefined) throw usageError(swallowed);
    await program.parseAsync(withoutUnusableHelp(program, args), { from: 'user' });
  } catch (error) {
    // Commander throws with code 0 after it has printed help.
    if (error instanceof CommanderError && error.exitCode === 0) return EXIT_CODES.complete.code;
    const view = await reportError(error, { program, args, taken: takeNote.taken }, output);
    // A program reads one line: the command's own, if it has printed one.
    if (jsonForm === 'line' && dataLines === 0) output.data(jsonLine(view));
    return view.exitCode;
  }
  output.event?.({ type: 'ended', message: null, next: null, ...viewExitAfter(exit, takeNote.taken?.next) });
  return EXIT_CODES[exit].code;
}

/** Reports why a command line failed, as a message, in the JSON log and as an event, and returns it for `--json`. */
async function reportError(error: unknown, line: FailedCommandLine, output: Output): Promise<Views['error']> {
  // Few commands fail, so what knows all errors is loaded only then.
  const { describeTrouble, exitErrorOf, repeatWords } = await import('./exit-of-problem.ts');
  const found = exitErrorOf(error);
  const fault = describeTrouble(found);
  const faultMessage = fault === undefined ? undefined : `${fault}${repeatWords(found, line.args[0] ?? '')}`;
  // A JSON log has the message in its last line, which `fail` writes.
  const say = isLog(output) ? (): void => undefined : output.say;
  const failed = describeError(found, faultMessage, line, say);
  const view = errorView(failed, line);
  output.fail?.({ ...view, message: failed.logged ?? view.message }, failed.stack);
  output.event?.({ type: 'ended', ...view });
  return view;
}

/** Prints an error with `say`, and returns its facts. `faultMessage`: the message, if it is a fault of this machine. */
function describeError(
  error: unknown,
  faultMessage: string | undefined,
  { program, args, taken }: FailedCommandLine,
  say: Output['say'],
): FailedCommand {
  const failed = (exit: ExitName, words: string): FailedCommand => {
    const message = taken === undefined ? words : messageAfterTake(words, taken);
    say(`voxbatch: ${message}`);
    return { exit, message };
  };
  if (error instanceof CommanderError) {
    const message = usageWords(error.message.replace(/^error: /, ''), program, args);
    // Without any command, commander has printed the help already.
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
  if (faultMessage !== undefined)
    return { ...failed('unreachable', faultMessage), prerequisite: prerequisiteOf(error) };
  if (error instanceof ExitError) {
    const message = error.exit === 'usage' ? usageWords(error.message, program, args) : error.message;
    const { logged } = error;
    return {
      ...failed(error.exit, message),
      logged,
      next: error.next,
      facts: error.facts,
      prerequisite: prerequisiteOf(error),
    };
  }
  const internal = failed('internal', `internal error: ${messageOf(error)}`);
  const stack = error instanceof Error ? error.stack : undefined;
  if (stack !== undefined) say(stack);
  say(`Nothing is lost. ${taken === undefined ? 'Running the same command again is safe. ' : ''}Please report this.`);
  // The message of an unexpected answer of the API may have words of a row.
  const isAnswer = error instanceof Error && 'failure' in error;
  return isAnswer ? { ...internal, logged: `internal error: ${error.name}` } : { ...internal, stack };
}

/**
 * Returns the arguments, without `--help` or `help` if the command does not exist: commander would print the program's
 * help, as if the command existed.
 */
function withoutUnusableHelp(program: Command, args: readonly string[]): readonly string[] {
  let command = program;
  for (const word of args) {
    if (word.startsWith('-') || command.commands.length === 0) return args;
    if (word === 'help') continue;
    const next = command.commands.find((known) => known.name() === word);
    if (next === undefined) return args.filter((arg) => !['--help', '-h', 'help'].includes(arg));
    command = next;
  }
  return args;
}

/**
 * Why a command failed. Three commands may be what to run next, the first that is known: `next`, `prerequisite`, and
 * the one that continues a take, see {@link FailedCommandLine}. The last two also mean that repeating the command is
 * wrong.
 */
interface FailedCommand {
  readonly exit: ExitName;
  readonly message: string;
  /** The command that the error suggests. */
  readonly next?: string | undefined;
  /** The command that a person has to run before the same command can succeed. */
  readonly prerequisite?: string | undefined;
  /** Further facts for `--json`. */
  readonly facts?: ErrorFacts | undefined;
  /** The message for a JSON log, if it must leave out words of rows. */
  readonly logged?: string | undefined;
  /** Of an internal error. */
  readonly stack?: string | undefined;
}

/** A command line that failed. `taken`: a new take, with its price, that it had recorded by then. */
interface FailedCommandLine {
  readonly program: Command;
  readonly args: readonly string[];
  readonly taken: RecordedTake | undefined;
}

/** Returns the error as `--json` prints it. */
function errorView(
  { exit, message, next, facts, prerequisite }: FailedCommand,
  { program, args, taken }: FailedCommandLine,
): Views['error'] {
  const view = viewExitAfter(exit, prerequisite ?? taken?.next);
  return { ...view, message, next: next ?? view.next ?? usualNext(exit, pathOf(program, args)), ...facts };
}

/** Returns the message without the cells that it quotes, which may be texts of rows. */
function withoutCells({ message, problems }: ManifestError): string {
  return problems.reduce((words, { got }) => words.replaceAll(`; got ${got}`, `; got ${NOT_LOGGED}`), message);
}

/**
 * Returns the command to run after a manifest error: the same one; with the name corrected if the file was misspelt;
 * or, if there is no such file at all, one that writes an example.
 */
function nextAfterManifest({ missing }: ManifestError, args: readonly string[]): string {
  if (missing !== undefined && missing.meant === undefined) return 'voxbatch init';
  const words = args.map((word) => (word === missing?.given ? (missing.meant ?? word) : word));
  return ['voxbatch', ...words].map(shellWord).join(' ');
}

/** Returns the command that the error, or one of its causes, requires first; waiting does not help then. */
function prerequisiteOf(error: unknown): string | undefined {
  for (let at: unknown = error; at instanceof Error; at = at.cause)
    if ('prerequisite' in at && typeof at.prerequisite === 'string') return at.prerequisite;
  return undefined;
}

/** Returns the usual next command of an exit code; null if the message says to repeat the same command. */
function usualNext(exit: ExitName, path: string): string | null {
  const { next } = factsOf(exit);
  return next === '--help' ? `${path} --help` : (next ?? null);
}

/** Returns whether a command line asks for one line of JSON or for a JSON event per line; undefined for neither. */
function jsonFormOf(args: readonly string[]): 'line' | 'events' | undefined {
  const words = flagWords(args);
  const hasJson = words.includes('--json');
  if (!asksForHelp(words) && (hasFlag(words, '--progress', 'json') || (hasJson && words[0] === 'watch')))
    return 'events';
  return hasJson ? 'line' : undefined;
}

/**
 * Returns where a command line writes: `replacement`, or stdout and stderr of this process. With `--log json`, what
 * goes to stderr becomes a JSON log.
 */
async function outputFor(args: readonly string[], replacement: Output | undefined): Promise<Output> {
  const words = flagWords(args);
  const isLog = hasFlag(words, '--log', 'json') && !asksForHelp(words) && !words.some((word) => PRINTS_UNIT.test(word));
  if (!isLog) return replacement ?? processOutput();
  const { catchStrayLines, toJsonLog } = await import('./terminal/json-log.ts');
  if (replacement === undefined) catchStrayLines();
  return toJsonLog(replacement ?? processOutput(), jsonFormOf(args) !== undefined);
}

/** `up --print-unit` only prints a unit, which contains `--log json`, and ends: it has no log of its own. */
const PRINTS_UNIT = /^--print-unit(?:=|$)/;

/** Returns the arguments before `--`, which ends the flags. */
function flagWords(args: readonly string[]): readonly string[] {
  const end = args.indexOf('--');
  return args.slice(0, end < 0 ? undefined : end);
}

/** Whether the flag is given with this value, as `--flag value` or `--flag=value`. */
function hasFlag(words: readonly string[], flag: string, value: string): boolean {
  const at = words.indexOf(flag);
  return words.includes(`${flag}=${value}`) || (at >= 0 && words[at + 1] === value);
}

function asksForHelp(words: readonly string[]): boolean {
  return words.includes('--help') || words.includes('-h');
}

/** Returns an output that prints events as JSON lines, and wraps each line of data, which is JSON, in an event. */
function withEvents(output: Output): Output {
  return {
    ...output,
    progress: 'json',
    event: (event) => {
      output.data(jsonLine(event));
    },
    data: (line) => {
      output.data(`{"type":"result","result":${line}}`);
    },
  };
}

/** Returns the command's full name: `voxbatch voices list`. */
function pathOf(program: Command, args: readonly string[]): string {
  let command = program;
  let path = program.name();
  for (const word of args) {
    const next = command.commands.find((known) => known.name() === word);
    if (next === undefined) break;
    command = next;
    path += ` ${word}`;
  }
  return path;
}
