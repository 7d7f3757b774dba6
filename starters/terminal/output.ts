import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { showControls } from '../../contract/control-characters.ts';
import { closeSync, openSync, readFileSync, readlinkSync } from 'node:fs';
import { isatty } from 'node:tty';
import { styleText } from 'node:util';
import type { Command } from 'commander';
import type { View, Views } from '../../client/views.ts';
import type { LogListener } from '../../client/work/worker-log.ts';
import { Drawing, type DrawnLines } from './drawing.ts';
import type { TakeNote } from '../recorded-take.ts';
import type { ServeOptions } from '../../client/work/serve.ts';
import type { ExitName } from '../../contract/exit-codes.ts';
import { snakeCase } from '../../contract/snake-case.ts';

/**
 * What a command writes to: {@link Output} is the port that all commands use, {@link processOutput} its form over
 * stdout and stderr, and {@link RunContext} passes it on, with what else a command gets besides its operands and flags.
 */

/** How progress is shown: a bar, plain lines, `json` events on stdout, or not at all. */
export const PROGRESS_FORMS = ['bar', 'plain', 'json', 'none'] as const;
/** One of {@link PROGRESS_FORMS}. */
export type ProgressForm = (typeof PROGRESS_FORMS)[number];

/** Where a command writes: data to stdout, progress and messages to stderr. */
export interface Output {
  /** Writes a line of data. */
  readonly data: (line: string) => void;
  /**
   * Writes binary data. Resolves when all of it is written or the reader has gone; rejects if it cannot be written.
   * Absent if only lines are supported.
   */
  readonly bytes?: (body: Readable) => Promise<void>;
  /** Writes a message for people. */
  readonly say: (line: string) => void;
  /** Writes a line that is in log format already. Default: `say`. */
  readonly log?: (line: string) => void;
  /** Ends the JSON log with why the command failed. Present only with `--log json`. */
  readonly fail?: (
    error: Pick<Views['error'], 'exit' | 'exitCode' | 'retry' | 'message' | 'next'>,
    stack?: string,
  ) => void;
  /**
   * Ends the JSON log of a process that a signal ended. Absent without `--log json`: {@link STOPPED} is printed
   * instead.
   */
  readonly stop?: (exit: ExitName) => void;
  /** True if stderr is a terminal that may be drawn on. */
  readonly isTerminal: boolean;
  /** True if the user can be asked: stdin and stderr are terminals. */
  readonly isInteractive: boolean;
  /** True if colours may be used (a terminal without `NO_COLOR`). */
  readonly hasColour: boolean;
  /** True if it can show more than ASCII. */
  readonly isUnicode?: boolean;
  /** How progress is shown. Default: plain lines. */
  readonly progress?: ProgressForm;
  /** Draws lines that stay at the bottom of the terminal; other output goes above them. Absent without a terminal. */
  readonly draw?: (lines: DrawnLines) => void;
  /**
   * Writes an event as a line of JSON. Present only with `--progress json`; data are then wrapped in events as well.
   */
  readonly event?: (event: Views['event']) => void;
  /** `--verbose`: print the worker's log too. */
  readonly isVerbose?: boolean;
}

/** The last line of a long-running process that a signal ended. */
export const STOPPED = 'Stopped.';

/** Prints a command's answer: one line of JSON, or human-readable lines. */
export function printAnswer(
  { data }: Pick<Output, 'data'>,
  { json }: { readonly json?: boolean | undefined },
  view: View,
  lines: () => readonly string[],
): void {
  for (const line of json === true ? [jsonLine(view)] : lines()) data(line);
}

/** Returns a view as `--json` prints it: one line, names in snake_case. */
export function jsonLine(view: View): string {
  return JSON.stringify(snakeCase(view));
}

/** True if stderr is a JSON log. Logs are kept and read by others, so texts of rows must not be written to it. */
export function isLog({ fail }: Pick<Output, 'fail'>): boolean {
  return fail !== undefined;
}

/**
 * Returns where the worker's log goes: every step with `--verbose`, the important ones with `--log json`; undefined
 * otherwise.
 */
export function logOf(output: Output): LogListener | undefined {
  const { isVerbose = false, say, log = say } = output;
  if (!isVerbose && !isLog(output)) return undefined;
  return { write: log, level: isVerbose ? 'debug' : 'info' };
}

/** Returns a function that prints a message, unless `isLogged` and the JSON log has it as an event of the worker. */
export function sayUnlogged(output: Output): (line: string, isLogged?: boolean) => void {
  return (line, isLogged = false) => {
    if (!isLog(output) || !isLogged) output.say(line);
  };
}

/**
 * Returns the output to stdout and stderr. Control characters from an API or a manifest are made visible. A reader that
 * has gone away (`| head`) or a closed terminal is no error. If stdout cannot be written for another reason, such as a
 * full disk, the process reports that and exits with 1 instead of 0; work in progress continues.
 */
export function processOutput(): Output {
  surviveClosedTerminal();
  const isTerminal = process.stderr.isTTY;
  const drawing = new Drawing(process.stderr);
  const { env } = process;
  const isSet = (name: string): boolean => (env[name] ?? '') !== '';
  const canDraw = isTerminal && env['TERM'] !== 'dumb';
  const hasColour = canDraw && !isSet('NO_COLOR');
  const above = (write: () => void): void => {
    if (canDraw) drawing.above(write);
    else write();
  };
  const bytes = handleStreamErrors();
  return {
    data: (line) => {
      above(() => process.stdout.write(`${showControls(line)}\n`));
    },
    bytes,
    say: (line) => {
      const shown = showControls(line);
      above(() => process.stderr.write(`${hasColour ? coloured(shown) : shown}\n`));
    },
    isTerminal,
    isInteractive: isTerminal && process.stdin.isTTY,
    hasColour,
    isUnicode: /utf-?8/i.test(env['LC_ALL'] || env['LC_CTYPE'] || env['LANG'] || ''),
    // A CI system may offer a terminal, but keeps its output as a log.
    progress: canDraw && !isSet('CI') ? 'bar' : 'plain',
    ...(canDraw && {
      draw: (lines: DrawnLines) => {
        drawing.show(lines);
      },
    }),
  };
}

/**
 * Handles the errors of stdout and stderr, which would end the process. Returns {@link Output.bytes}, whose own errors
 * its caller handles.
 */
function handleStreamErrors(): NonNullable<Output['bytes']> {
  let isStreaming = false;
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (isReaderGone(error) || isStreaming) return;
    process.stderr.write(`voxbatch: stdout cannot be written: ${error.message}.\n`);
    process.once('exit', (code) => {
      if (code === 0) process.exitCode = 1;
    });
  });
  // Errors on stderr cannot be reported anywhere.
  process.stderr.on('error', () => undefined);
  return async (body) => {
    isStreaming = true;
    await pipeline(body, process.stdout, { end: false }).catch((error: unknown) => {
      if (!isReaderGone(error)) throw error;
    });
    isStreaming = false;
  };
}

/** Whether an error of stdout means that its reader has ended, or its terminal was closed. */
function isReaderGone(error: unknown): boolean {
  const { code } = error as NodeJS.ErrnoException;
  return code === 'EPIPE' || (code === 'EIO' && process.stdout.isTTY);
}

/** Returns a message with `error:`, `voxbatch:` or `warning:` at its start in colour. */
function coloured(line: string): string {
  return line.replace(/^(?:error|voxbatch|warning):/i, (word) =>
    styleText(/^w/i.test(word) ? 'yellow' : 'red', word, { validateStream: false }),
  );
}

const NULL_DEVICE = '/dev/null';
const STREAMS = [0, 1, 2] as const;

/**
 * Lets this process exit normally after its terminal was closed. On exit, Node restores each terminal's mode and aborts
 * (SIGABRT) if one is gone, so closed terminals are replaced by `/dev/null` right before. Under `nohup`, a closed
 * terminal is ignored.
 */
export function surviveClosedTerminal(): void {
  if (isUnderNohup()) process.on('SIGHUP', () => undefined);
  const terminals = STREAMS.filter((stream) => isatty(stream));
  process.once('exit', () => {
    for (const stream of terminals) {
      if (isatty(stream)) continue;
      closeSync(stream);
      // Gets the lowest free descriptor, which is the one just closed.
      openSync(NULL_DEVICE, 'r+');
    }
  });
}

/**
 * Whether this process was started by GNU `nohup` from a terminal. Node resets signals that the parent ignored, so
 * stdin is the only sign left: no other program opens `/dev/null` for writing there. False if stdin was redirected, or
 * if this is not Linux.
 */
export function isUnderNohup(): boolean {
  try {
    const [, flags = ''] = /^flags:\s*([0-7]+)$/m.exec(readFileSync('/proc/self/fdinfo/0', 'utf8')) ?? [];
    return readlinkSync('/proc/self/fd/0') === NULL_DEVICE && (Number.parseInt(flags, 8) & 0o3) === 0o1;
  } catch {
    return false;
  }
}

/** What a command gets besides operands and flags. */
export interface RunContext {
  readonly output: Output;
  /** Called at named moments, so that tests can kill the process there. */
  readonly atFaultPoint?: NonNullable<ServeOptions['atFaultPoint']>;
  /** Where a command notes that it records a new take, for the advice of errors. */
  readonly takeNote?: TakeNote | undefined;
}

/** What `program.ts` passes to commands; only `completion` uses all of it. */
export interface CommandContext extends RunContext {
  /** Called once with the name of the exit code. */
  readonly done: (exit: ExitName) => void;
  readonly program: Command;
}
