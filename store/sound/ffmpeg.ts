import type { ChildProcess } from 'node:child_process';
import type { Readable, Writable } from 'node:stream';
import { startWatched } from './start-watched.ts';

/** CPU seconds that a run on one file may take: one that is made to hang must end. */
const MOST_CPU_SECONDS = 600;
/** It may take so much longer by the clock. */
const CLOCK_FACTOR = 3;
/** Seconds by the clock after which a run on one file has ended. */
export const MOST_FFMPEG_SECONDS = clockSeconds(MOST_CPU_SECONDS);
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
export class FfmpegUnwritable extends Error {
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

/** Seconds by the clock that a run of so many CPU seconds may take. */
export function clockSeconds(cpuSeconds: number): number {
  return cpuSeconds * CLOCK_FACTOR;
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
  const timer = setTimeout(kill, clockSeconds(mostSeconds) * 1_000);
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
