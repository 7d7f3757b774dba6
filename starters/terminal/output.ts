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

/** How progress is shown: `json` as events on stdout. */
export const PROGRESS_FORMS = ['bar', 'plain', 'json', 'none'] as const;
export type ProgressForm = (typeof PROGRESS_FORMS)[number];

/** Where a command writes: data to stdout, progress and messages to stderr. */
export interface Output {
  /** A line of data. */
  readonly data: (line: string) => void;
  /**
   * Writes binary data. Resolves when all of it is written or the reader has gone; rejects if it cannot be written.
   * Absent if only lines are supported.
   */
  readonly bytes?: (body: Readable) => Promise<void>;
  /** A human-readable line. */
  readonly say: (line: string) => void;
  /** A line already in log format. Default: `say`. */
  readonly log?: (line: string) => void;
  /** Ends a log in JSON with why the command did not do its job; absent unless stderr is one (`--log json`). */
  readonly fail?: (
    error: Pick<Views['error'], 'exit' | 'exitCode' | 'retry' | 'message' | 'next'>,
    stack?: string,
  ) => void;
  /** Ends such a log with the exit of a process that was told to end. Default: {@link STOPPED}, by `say`. */
  readonly stop?: (exit: ExitName) => void;
  /** True if stderr is a terminal that may be drawn on. */
  readonly isTerminal: boolean;
  /** True if a person can be asked: stdin and stderr are terminals. */
  readonly isInteractive: boolean;
  /** True if colours may be used (a terminal without `NO_COLOR`). */
  readonly hasColour: boolean;
  /** True if it can show more than ASCII. */
  readonly isUnicode?: boolean;
  /** How progress is shown. Default: plain lines. */
  readonly progress?: ProgressForm;
  /**
   * Draws lines that stay at the bottom of the terminal; what else is written goes above them. Absent if it cannot be
   * drawn on.
   */
  readonly draw?: (lines: DrawnLines) => void;
  /** Tells a machine what happens, as a line of data; absent unless one asked for it. Data are events too, then. */
  readonly event?: (event: Views['event']) => void;
  /** `--verbose`: print the worker's log too. */
  readonly isVerbose?: boolean;
}

/** The last line of a process that worked until it was told to end. */
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

/** A view for `--json`. */
export function jsonLine(view: View): string {
  return JSON.stringify(snakeCase(view));
}

/** True if stderr is a log in JSON: it is kept, and read by others, so it must not have what rows ask for. */
export function isLog({ fail }: Pick<Output, 'fail'>): boolean {
  return fail !== undefined;
}

/**
 * Also receives the worker's log: each step with `--verbose`, else in a log in JSON what matters; undefined otherwise.
 */
export function logOf(output: Output): LogListener | undefined {
  const { isVerbose = false, say, log = say } = output;
  if (!isVerbose && !isLog(output)) return undefined;
  return { write: log, level: isVerbose ? 'debug' : 'info' };
}

/** Says what the log of the worker has as an event, too, if this is not a log in JSON, which has it. */
export function sayUnlogged(output: Output): (line: string, isLogged?: boolean) => void {
  return (line, isLogged = false) => {
    if (!isLog(output) || !isLogged) output.say(line);
  };
}

/**
 * The output of this process. No line can control the terminal, whatever an API or a manifest contains. A reader that
 * has gone away (`| head`) or a closed terminal is no error. If lines cannot be written for another reason, such as a
 * full disk, the process reports it and exits with 1 instead of 0; work in progress continues.
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
  const isGone = (error: unknown): boolean => {
    const { code } = error as NodeJS.ErrnoException;
    return code === 'EPIPE' || (code === 'EIO' && process.stdout.isTTY);
  };
  let isPouring = false;
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (isGone(error) || isPouring) return;
    process.stderr.write(`voxbatch: stdout cannot be written: ${error.message}.\n`);
    process.once('exit', (code) => {
      if (code === 0) process.exitCode = 1;
    });
  });
  // Errors on stderr cannot be reported anywhere.
  process.stderr.on('error', () => undefined);
  return {
    data: (line) => {
      above(() => process.stdout.write(`${showControls(line)}\n`));
    },
    bytes: async (body) => {
      isPouring = true;
      await pipeline(body, process.stdout, { end: false }).catch((error: unknown) => {
        if (!isGone(error)) throw error;
      });
      isPouring = false;
    },
    say: (line) => {
      const shown = showControls(line);
      above(() => process.stderr.write(`${hasColour ? coloured(shown) : shown}\n`));
    },
    isTerminal,
    isInteractive: isTerminal && process.stdin.isTTY,
    hasColour,
    isUnicode: /utf-?8/i.test(env['LC_ALL'] || env['LC_CTYPE'] || env['LANG'] || ''),
    // A log of CI may be no place for a bar though it looks like a terminal.
    progress: canDraw && !isSet('CI') ? 'bar' : 'plain',
    ...(canDraw
      ? {
          draw: (lines: DrawnLines) => {
            drawing.show(lines);
          },
        }
      : {}),
  };
}

/** A message with its first word in the colour of an error or a warning, if it is one. */
function coloured(line: string): string {
  return line.replace(/^(?:error|voxbatch|warning):/i, (word) =>
    styleText(/^w/i.test(word) ? 'yellow' : 'red', word, { validateStream: false }),
  );
}

const NOTHING = '/dev/null';
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
      openSync(NOTHING, 'r+');
    }
  });
}

/**
 * Whether this process was started by GNU `nohup` from a terminal. Node resets the signals that its parent had ignored
 * before any code of ours runs, so only stdin tells: nobody but `nohup` opens `/dev/null` for writing there. False
 * where that cannot be seen: stdin was redirected already, or this is not Linux.
 */
export function isUnderNohup(): boolean {
  try {
    const [, flags = ''] = /^flags:\s*([0-7]+)$/m.exec(readFileSync('/proc/self/fdinfo/0', 'utf8')) ?? [];
    return readlinkSync('/proc/self/fd/0') === NOTHING && (Number.parseInt(flags, 8) & 0o3) === 0o1;
  } catch {
    return false;
  }
}

/** The process facilities of a command that works on a batch. */
export interface RunContext {
  readonly output: Output;
  readonly atFaultPoint?: NonNullable<ServeOptions['atFaultPoint']>;
  /** Where a command notes that it records another take. */
  readonly takeNote?: TakeNote | undefined;
}

/** The context of every command. */
export interface CommandContext extends RunContext {
  /** Called once with the name of the exit code. */
  readonly done: (exit: ExitName) => void;
  readonly program: Command;
}
