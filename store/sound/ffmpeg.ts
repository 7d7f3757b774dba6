import { spawn, type ChildProcess } from 'node:child_process';
import { accessSync, constants, existsSync } from 'node:fs';
import type { Readable, Writable } from 'node:stream';

/** CPU seconds that a run on one file may take: one that is made to hang must end. */
const MOST_CPU_SECONDS = 600;
/** It may take so much longer by the clock. */
const CLOCK_FACTOR = 3;
/** How much of its complaints is kept. */
const MOST_WORDS = 2_000;

/** ffmpeg could not be started, did not end in time, or cannot read the file. The message says which. */
export class FfmpegFailed extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'FfmpegFailed';
  }
}

/** What ffmpeg says of a disk that does not take its file, and the system's code for it. */
const DISK_WORDS: readonly (readonly [RegExp, string])[] = [
  [/No space left on device/u, 'ENOSPC'],
  [/Dis[ck] quota exceeded/u, 'EDQUOT'],
  [/File too large/u, 'EFBIG'],
  [/Read-only file system/u, 'EROFS'],
];

/** The disk does not take what ffmpeg writes: this is no fault of the file, and may be well the next time. */
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
   * What comes behind the options that every run has. Never words of a user: names of files only behind `-i` or at the
   * end, as {@link fileArgument} writes them.
   */
  readonly args: readonly string[];
  /** CPU seconds that it may take; three times as many by the clock. Default 600. */
  readonly mostSeconds?: number;
  /** Gives it its input, and ends it. Default: it has none. */
  readonly onInput?: (input: Writable) => Promise<void>;
  /** Takes what it writes to its output. Default: nothing is read. */
  readonly onOutput?: (output: Readable) => Promise<void>;
}

/** Names a file so that ffmpeg takes it for nothing else: no option, no protocol, no pattern. */
export function fileArgument(path: string): string {
  return `file:${path}`;
}

/**
 * Runs ffmpeg; no shell reads its words, and it may open local files only. Returns what it wrote to its error output. Throws
 * {@link FfmpegFailed}, or {@link FfmpegUnwritable} for a full disk. It ends with this process or thread, however that ends, and at the latest when its time is up.
 */
export async function runFfmpeg(run: FfmpegRun): Promise<string> {
  const { program, args, mostSeconds = MOST_CPU_SECONDS, onInput, onOutput } = run;
  const fixed = ['-nostdin', '-hide_banner', '-loglevel', 'error', '-timelimit', String(mostSeconds)];
  const all = [...fixed, '-threads', '1', '-protocol_whitelist', 'file,pipe', ...args];
  const child = start(program, all, [
    onInput === undefined ? 'ignore' : 'pipe',
    onOutput === undefined ? 'ignore' : 'pipe',
  ]);
  const kill = (): void => void child.kill('SIGKILL');
  const timer = setTimeout(kill, mostSeconds * CLOCK_FACTOR * 1_000);
  let words = '';
  const ended = new Promise<void>((resolve, reject) => {
    child.once('error', (cause) => {
      reject(notStarted(cause));
    });
    child.once('close', (code, signal) => {
      if (code === 0) resolve();
      else reject(failureOf(`ffmpeg ended with ${signal ?? code}: ${lastLine(words)}`, signal, words));
    });
  });
  // A process that has no file descriptors left gives its child no streams.
  child.stderr?.setEncoding('utf8').on('data', (chunk: string) => {
    words = `${words}${chunk}`.slice(-MOST_WORDS);
  });
  // Without a listener, a broken pipe would end this process.
  child.stdin?.on('error', () => undefined);
  // Its end explains why a pipe broke; the pipe does not.
  const handled = async (work: Promise<void> | undefined): Promise<void> => {
    try {
      await work;
    } catch (error) {
      if (!isBroken(error)) throw error;
    }
  };
  try {
    await Promise.all([
      ended,
      child.stdin ? handled(onInput?.(child.stdin)) : undefined,
      child.stdout ? handled(onOutput?.(child.stdout)) : undefined,
    ]);
    return words;
  } finally {
    kill();
    clearTimeout(timer);
  }
}

/** Throws {@link FfmpegFailed}. */
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

/** Version of a program, as it states it. Throws {@link FfmpegFailed}. */
export async function ffmpegVersion(program: string): Promise<string> {
  let words = '';
  await runFfmpeg({
    program,
    args: ['-version'],
    onOutput: async (output) => {
      for await (const piece of output as AsyncIterable<Buffer>)
        words = (words + piece.toString()).slice(0, MOST_WORDS);
    },
  });
  return /^ffmpeg version (\S+)/u.exec(words)?.[1] ?? 'unknown';
}

function failureOf(message: string, signal: NodeJS.Signals | null, words: string): Error {
  const code = signal === 'SIGXFSZ' ? 'EFBIG' : DISK_WORDS.find(([said]) => said.test(words))?.[1];
  return code === undefined ? new FfmpegFailed(message) : new FfmpegUnwritable(message, code);
}

function isBroken(error: unknown): boolean {
  return ['EPIPE', 'ERR_STREAM_PREMATURE_CLOSE', 'ERR_STREAM_DESTROYED', 'ECONNRESET'].includes(
    (error as NodeJS.ErrnoException).code ?? '',
  );
}

function lastLine(words: string): string {
  return words.trim().split('\n').at(-1)?.trim() ?? '';
}

/** Nothing of this process's environment concerns it, least of all the token. */
const OPTIONS = { env: {}, windowsHide: true } as const;

const SHELL = '/bin/sh';

/** Becomes the program that it is given once a line comes on its fourth stream, and ends where none comes: who kills it with us is there first. */
const WAITS = 'read -r _ <&3 && exec "$@" 3<&-';

/**
 * Kills the process that it is given once its input ends without a line on it: that is how the end of this process shows,
 * even if it was killed. What a terminal or a service manager sends to the whole group does not end it.
 */
const KILLS_ORPHAN = 'trap "" HUP INT TERM; read -r _ || kill -9 "$1"';

/**
 * Starts a program, so that it ends with this process, killed at whatever moment. Throws the error of a system call; the child reports some of them, too.
 *
 * @param program its absolute path
 * @param streams its input, output and error output
 */
function startWatched(program: string, args: readonly string[], streams: readonly ('pipe' | 'ignore')[]): ChildProcess {
  // Windows has no such shell, and neither do some containers; there nothing but a time limit of its own ends it.
  if (process.platform === 'win32' || !existsSync(SHELL))
    return spawn(program, args, { ...OPTIONS, stdio: [...streams] });
  // The shell's own words say less.
  accessSync(program, constants.X_OK);
  const child = spawn(SHELL, ['-c', WAITS, 'sh', program, ...args], { ...OPTIONS, stdio: [...streams, 'pipe'] });
  // Else it was not started, and has no streams.
  if (child.pid !== undefined) {
    endWithUs(child, child.pid);
    const line = child.stdio[streams.length] as Writable;
    line.on('error', () => undefined);
    line.end('\n');
  }
  return child;
}

/** Where no second shell can be started, its time limit ends it. */
function endWithUs(child: ChildProcess, pid: number): void {
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
  // Its process id may be another one's from now on. A signal ends the shell before it can see that its input ends.
  child.once('exit', () => shell.kill('SIGKILL'));
}
