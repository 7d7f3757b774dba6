import { once } from 'node:events';
import { namesForUser, startChild } from '../../embedded/child-process.ts';

/** A command that has not ended by then is killed, ms. */
const TIMEOUT_MS = 600_000;

/** Input of {@link runHookCommand}. */
export interface HookCommand {
  /** For the shell. */
  readonly command: string;
  /** Added to the environment of this process, which is passed on without our secrets. */
  readonly environment: Readonly<Record<string, string>>;
  /** Text for its stdin. */
  readonly input: string;
  /** Kills the command and everything it started. */
  readonly signal: AbortSignal;
}

/**
 * Runs the command of `--on-end` in a shell, in the working directory of this process; its output goes to stderr.
 * Returns what went wrong; undefined: it exited with 0. Throws if the signal killed it.
 */
export async function runHookCommand({
  command,
  environment,
  input,
  signal,
}: HookCommand): Promise<string | undefined> {
  signal.throwIfAborted();
  const { env: ours, stderr } = process;
  const child = startChild('/bin/sh', ['-c', command], {
    env: { ...ours, ...environment },
    passes: [...namesForUser(ours), ...Object.keys(environment)],
    // In its own process group: what it starts is killed with it, and a Ctrl-C that ends us in order does not reach it.
    detached: true,
    stdio: ['pipe', stderr, stderr],
  });
  const kill = (): void => {
    if (child.pid === undefined) return;
    try {
      process.kill(-child.pid, 'SIGKILL');
    } catch {
      // It has just ended.
    }
  };
  const limit = AbortSignal.any([signal, AbortSignal.timeout(TIMEOUT_MS)]);
  limit.addEventListener('abort', kill);
  // Its own group outlives us where we exit at once, and the next process would run it beside itself.
  process.once('exit', kill);
  // A command need not read its input.
  child.stdin?.on('error', () => undefined);
  child.stdin?.end(input);
  try {
    const [code, killedBy] = (await once(child, 'exit')) as [number | null, NodeJS.Signals | null];
    signal.throwIfAborted();
    if (limit.aborted) return `it ran for ${TIMEOUT_MS / 60_000} minutes and was killed`;
    if (code === 0) return undefined;
    return code === null ? `it was killed by ${killedBy ?? 'a signal'}` : `it ended with exit code ${code}`;
  } finally {
    limit.removeEventListener('abort', kill);
    process.off('exit', kill);
  }
}
