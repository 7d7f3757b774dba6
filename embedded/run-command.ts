import { startChild } from './child-process.ts';

export interface CommandOptions {
  /** Secrets are taken out. */
  readonly env: NodeJS.ProcessEnv;
  readonly cwd?: string;
  /** The command is killed after this long, in ms. */
  readonly timeoutMs: number;
  readonly signal?: AbortSignal | undefined;
  /** Secrets that the command needs all the same. */
  readonly passes?: readonly string[];
}

export interface CommandResult {
  /** True if it ended by itself with code 0. */
  readonly ok: boolean;
  /** The last 8,000 characters of what it printed, stdout and stderr together. */
  readonly output: string;
  /** How it ended, in words, if it failed. */
  readonly why: string;
}

const KEPT = 8_000;

/** Runs a command to its end. Never throws because of the command; throws the signal's reason when aborted. */
export async function runCommand(
  command: string,
  args: readonly string[],
  options: CommandOptions,
): Promise<CommandResult> {
  options.signal?.throwIfAborted();
  // Its own process group, so that whatever the command starts ends with it.
  const child = startChild(command, args, {
    cwd: options.cwd,
    env: options.env,
    passes: options.passes ?? [],
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true,
  });
  let output = '';
  const keep = (chunk: Buffer): void => {
    output = (output + chunk.toString('utf8')).slice(-KEPT);
  };
  child.stdout?.on('data', keep);
  child.stderr?.on('data', keep);
  const late = new AbortController();
  const kill = (): void => {
    killGroup(child.pid);
  };
  const timer = setTimeout(() => {
    late.abort();
    kill();
  }, options.timeoutMs);
  options.signal?.addEventListener('abort', kill, { once: true });
  try {
    const why = await new Promise<string>((resolve) => {
      child.once('error', (error) => {
        resolve(error.message);
      });
      child.once('close', (code, signal) => {
        resolve(code === 0 ? '' : code === null ? `was killed by ${String(signal)}` : `ended with code ${code}`);
      });
    });
    options.signal?.throwIfAborted();
    const reason = late.signal.aborted ? `did not end within ${options.timeoutMs / 1000} s` : why;
    return { ok: reason === '', output: output.trim(), why: reason };
  } finally {
    clearTimeout(timer);
    options.signal?.removeEventListener('abort', kill);
    child.stdout?.destroy();
    child.stderr?.destroy();
  }
}

function killGroup(pid: number | undefined): void {
  if (pid === undefined) return;
  try {
    process.kill(-pid, 'SIGKILL');
  } catch {
    // It has ended already.
  }
}
