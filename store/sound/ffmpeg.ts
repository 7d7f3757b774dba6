import { spawn, type ChildProcess } from 'node:child_process';
import { accessSync, constants, existsSync } from 'node:fs';
import type { Readable, Writable } from 'node:stream';

/** Max CPU seconds per file, so that a malicious file cannot hang ffmpeg. */
const MAX_CPU_SECONDS = 600;
/** Wall-clock limit as a multiple of the CPU limit. */
const CLOCK_FACTOR = 3;
/** Max characters of output that are kept: the last ones of the error output. */
const MAX_OUTPUT = 2_000;

/** ffmpeg could not be started, did not end in time, or cannot read the file. The message says which. */
export class FfmpegFailed extends Error {
  override readonly name = 'FfmpegFailed';
}

/** ffmpeg's messages about disk errors, with the system codes that they stand for. */
const DISK_ERRORS: readonly (readonly [RegExp, string])[] = [
  [/No space left on device/u, 'ENOSPC'],
  [/Dis[ck] quota exceeded/u, 'EDQUOT'],
  [/File too large/u, 'EFBIG'],
  [/Read-only file system/u, 'EROFS'],
];

/** The disk refused ffmpeg's output. The input is not at fault, and a later run may succeed. */
class FfmpegUnwritable extends Error {
  /** The system's code, e.g. `ENOSPC`. */
  readonly code: string;

  constructor(message: string, code: string) {
    super(message);
    this.name = 'FfmpegUnwritable';
    this.code = code;
  }
}

/** A run of ffmpeg. */
export interface FfmpegRun {
  /** Absolute path of the program. */
  readonly program: string;
  /**
   * Arguments after the common options. Never user text: file names appear only after `-i` or at the end, as
   * {@link fileArgument} writes them.
   */
  readonly args: readonly string[];
  /** Max CPU seconds, with three times as many by the clock. Default 600. */
  readonly maxSeconds?: number;
  /** Writes its input and closes it. By default it has none. */
  readonly onInput?: (input: Writable) => Promise<void>;
  /** Consumes its output. By default nothing is read. */
  readonly onOutput?: (output: Readable) => Promise<void>;
}

/** Returns the argument for a file, which ffmpeg cannot mistake for an option, protocol or pattern. */
export function fileArgument(path: string): string {
  return `file:${path}`;
}

/**
 * Runs ffmpeg without a shell, restricted to local files. Returns its error output. Throws {@link FfmpegFailed}, or
 * {@link FfmpegUnwritable} for a full disk. It ends with this process or thread, however that ends, and at the latest
 * when its time is up.
 */
export async function runFfmpeg(run: FfmpegRun): Promise<string> {
  const { program, args, maxSeconds = MAX_CPU_SECONDS, onInput, onOutput } = run;
  const fixed = ['-nostdin', '-hide_banner', '-loglevel', 'error', '-timelimit', String(maxSeconds)];
  const all = [...fixed, '-threads', '1', '-protocol_whitelist', 'file,pipe', ...args];
  const child = start(program, all, [
    onInput === undefined ? 'ignore' : 'pipe',
    onOutput === undefined ? 'ignore' : 'pipe',
  ]);
  const kill = (): void => void child.kill('SIGKILL');
  const timer = setTimeout(kill, maxSeconds * CLOCK_FACTOR * 1_000);
  let messages = '';
  const ended = new Promise<void>((resolve, reject) => {
    child.once('error', (cause) => {
      reject(notStarted(cause));
    });
    child.once('close', (code, signal) => {
      if (code === 0) resolve();
      else reject(failureOf(`ffmpeg ended with ${signal ?? code}: ${lastLine(messages)}`, signal, messages));
    });
  });
  // The streams are missing if this process has run out of file descriptors.
  child.stderr?.setEncoding('utf8').on('data', (chunk: string) => {
    messages = `${messages}${chunk}`.slice(-MAX_OUTPUT);
  });
  // Without a listener, a broken pipe would end this process.
  child.stdin?.on('error', () => undefined);
  // Ignores broken pipes: the exit status explains them better.
  const withoutPipeErrors = async (work: Promise<void> | undefined): Promise<void> => {
    try {
      await work;
    } catch (error) {
      if (!isPipeError(error)) throw error;
    }
  };
  try {
    await Promise.all([
      ended,
      child.stdin ? withoutPipeErrors(onInput?.(child.stdin)) : undefined,
      child.stdout ? withoutPipeErrors(onOutput?.(child.stdout)) : undefined,
    ]);
    return messages;
  } finally {
    kill();
    clearTimeout(timer);
  }
}

/** Starts ffmpeg. `streams`: its input and output. Throws {@link FfmpegFailed}. */
function start(program: string, args: readonly string[], streams: readonly ('pipe' | 'ignore')[]): ChildProcess {
  try {
    return startWatched(program, args, [...streams, 'pipe']);
  } catch (error) {
    throw notStarted(error as Error);
  }
}

function notStarted(cause: Error): FfmpegFailed {
  return new FfmpegFailed(`ffmpeg cannot be started (${cause.message})`, { cause });
}

/** Returns the version that an ffmpeg reports. Throws {@link FfmpegFailed}. */
export async function ffmpegVersion(program: string): Promise<string> {
  let messages = '';
  await runFfmpeg({
    program,
    args: ['-version'],
    onOutput: async (output) => {
      for await (const piece of output as AsyncIterable<Buffer>)
        messages = (messages + piece.toString()).slice(0, MAX_OUTPUT);
    },
  });
  return /^ffmpeg version (\S+)/u.exec(messages)?.[1] ?? 'unknown';
}

/** Tells a full disk from other failures. */
function failureOf(message: string, signal: NodeJS.Signals | null, messages: string): Error {
  const code = signal === 'SIGXFSZ' ? 'EFBIG' : DISK_ERRORS.find(([said]) => said.test(messages))?.[1];
  return code === undefined ? new FfmpegFailed(message) : new FfmpegUnwritable(message, code);
}

function isPipeError(error: unknown): boolean {
  return ['EPIPE', 'ERR_STREAM_PREMATURE_CLOSE', 'ERR_STREAM_DESTROYED', 'ECONNRESET'].includes(
    (error as NodeJS.ErrnoException).code ?? '',
  );
}

function lastLine(messages: string): string {
  return messages.trim().split('\n').at(-1)?.trim() ?? '';
}

/** An empty environment: ffmpeg needs nothing from ours, least of all the token. */
const OPTIONS = { env: {}, windowsHide: true } as const;

const SHELL = '/bin/sh';

/**
 * Shell command that runs the program once a line arrives on fd 3, and exits if that closes without one. So the
 * watchdog is in place before the program starts.
 */
const WAITS = 'read -r _ <&3 && exec "$@" 3<&-';

/**
 * Shell command of the watchdog: kills the process `$1` when its own stdin closes, which happens when this process
 * dies, even by a kill. Ignores signals that a terminal or service manager sends to the whole group.
 */
const KILLS_ORPHAN = 'trap "" HUP INT TERM; read -r _ || kill -9 "$1"';

/**
 * Starts a program that ends with this process, even if this process is killed. Throws system errors; some are reported
 * by the child instead.
 *
 * @param program its absolute path
 * @param streams its input, output and error output
 */
function startWatched(program: string, args: readonly string[], streams: readonly ('pipe' | 'ignore')[]): ChildProcess {
  // Windows and some containers have no such shell; there, only the time limit ends the program.
  if (process.platform === 'win32' || !existsSync(SHELL))
    return spawn(program, args, { ...OPTIONS, stdio: [...streams] });
  // Check first, because the shell's error message says less.
  accessSync(program, constants.X_OK);
  const child = spawn(SHELL, ['-c', WAITS, 'sh', program, ...args], { ...OPTIONS, stdio: [...streams, 'pipe'] });
  // Without a pid it was not started and has no streams.
  if (child.pid !== undefined) {
    startWatchdog(child, child.pid);
    const line = child.stdio[streams.length] as Writable;
    line.on('error', () => undefined);
    line.end('\n');
  }
  return child;
}

/** Starts the watchdog of a program. If no second shell can be started, only the time limit ends the program. */
function startWatchdog(child: ChildProcess, pid: number): void {
  let shell: ChildProcess;
  try {
    shell = spawn(SHELL, ['-c', KILLS_ORPHAN, 'sh', String(pid)], {
      ...OPTIONS,
      stdio: ['pipe', 'ignore', 'ignore'],
    });
  } catch {
    return;
  }
  shell.on('error', () => undefined);
  shell.stdin?.on('error', () => undefined);
  shell.unref();
  // The program's pid may be reused from now on, so kill the watchdog before it can see its stdin close.
  child.once('exit', () => shell.kill('SIGKILL'));
}
