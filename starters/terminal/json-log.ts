import { pino, type Logger } from 'pino';
import { defined } from '../../contract/defined.ts';
import { EXIT_CODES } from '../../contract/exit-codes.ts';
import type { ProcessEvent } from '../../contract/log-events.ts';
import { STOPPED, type Output } from './output.ts';

/**
 * Returns the output with stderr as a JSON log (`--log json`): an object per line, with `time`, `level`, `event` and
 * `msg`. Messages for people become lines of it as well. `hasJsonData`: data are JSON, by `--json` or `--progress
 * json`, and stay on stdout; other data are logged.
 */
export function toJsonLog(output: Output, hasJsonData: boolean): Output {
  const { say: write, data, bytes, isUnicode, isVerbose, event, progress = 'plain' } = output;
  const log = logTo(write);
  const say = (text: string): void => {
    for (const line of text.split('\n')) if (line.trim() !== '') log[levelOf(line)](of('message'), line.trim());
  };
  return {
    ...defined({ bytes, isUnicode, isVerbose, event }),
    say,
    data: hasJsonData ? data : say,
    log: write,
    fail: ({ exit, exitCode, retry, message, next }, stack) => {
      log.error({ ...of('failed'), exit, exit_code: exitCode, retry, next, stack }, message);
    },
    stop: (exit) => {
      log.info({ ...of('stopped'), exit, exit_code: EXIT_CODES[exit].code }, STOPPED);
    },
    isTerminal: false,
    // A question in a log would wait for ever.
    isInteractive: false,
    hasColour: false,
    progress: progress === 'bar' ? 'plain' : progress,
  };
}

/**
 * Turns what Node, a library or a crash would print on stderr into lines of the JSON log. What Node prints from outside
 * of JavaScript (out of memory) and the output of hooks stay plain text.
 */
export function catchStrayLines(): void {
  const { stderr } = process;
  const write = stderr.write.bind(stderr);
  const log = logTo((line) => write(`${line}\n`));
  stderr.write = (chunk: Uint8Array | string, ...rest: unknown[]): boolean => {
    const text = typeof chunk === 'string' ? chunk : Buffer.from(chunk).toString();
    for (const line of text.split('\n')) {
      if (line.trim() === '') continue;
      if (line.startsWith('{"level":')) write(`${line}\n`);
      else log.warn(of('stderr'), line.trim());
    }
    // The last argument may be a callback.
    for (const argument of rest) if (typeof argument === 'function') (argument as () => void)();
    return true;
  };
  process.removeAllListeners('warning').on('warning', ({ name, message, stack }) => {
    log.warn({ ...of('warning'), name, stack }, message);
  });
  process.on('uncaughtException', (error: unknown) => {
    const { message, stack } = error instanceof Error ? error : new Error(String(error));
    log.fatal({ ...of('crash'), exit_code: 1, stack }, message);
    process.exit(1);
  });
}

function logTo(write: (line: string) => unknown): Logger {
  const lines = {
    write: (line: string): void => {
      write(line.trimEnd());
    },
  };
  return pino({ base: { pid: process.pid } }, lines);
}

function of(event: ProcessEvent): { readonly event: ProcessEvent } {
  return { event };
}

function levelOf(line: string): 'warn' | 'info' {
  return /^warning:/i.test(line.trim()) ? 'warn' : 'info';
}
