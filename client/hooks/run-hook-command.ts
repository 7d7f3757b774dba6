import { once } from 'node:events';
import { environmentForUser } from '../../contract/environment.ts';
import { startChild } from '../../embedded/child-process.ts';

/** A command still running after this is killed, ms. */
const MAX_RUN_MS = 600_000;

/** Input of {@link runHookCommand}. */
export interface HookCommand {
  /** Shell command line. */
  readonly command: string;
  /** Added to this process's environment, which is passed on without our secrets. */
  readonly environment: Readonly<Record<string, string>>;
  /** Text for its stdin. */
  readonly input: string;
  /** Kills the command and everything it started. */
  readonly signal: AbortSignal;
}

/**
 * Runs the `--on-end` command in a shell, in this process's working directory; its output goes to stderr. Returns what
 * went wrong, or undefined if it exited with 0. Throws if the signal killed it.
 */
export async function runHookCommand({
  command,
  environment,
  input,
  signal,
}: HookCommand): Promise<string | undefined> {
  signal.throwIfAborted();
  const { stderr } = process;
  const env = { ...environmentForUser(process.env), ...environment };
  const child = startChild('/bin/sh', ['-c', command], {
    env,
    passes: Object.keys(env),
    // Its own process group, so that its children are killed with it, and a Ctrl-C that shuts us down does not reach
    // it.
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
  const limit = AbortSignal.any([signal, AbortSignal.timeout(MAX_RUN_MS)]);
  limit.addEventListener('abort', kill);
  // Its group would outlive an immediate exit, and the next process would run the command a second time alongside it.
  process.once('exit', kill);
  // A command need not read its input.
  child.stdin?.on('error', () => undefined);
  child.stdin?.end(input);
  try {
    const [code, killedBy] = (await once(child, 'exit')) as [number | null, NodeJS.Signals | null];
    signal.throwIfAborted();
    if (limit.aborted) return `it ran for ${MAX_RUN_MS / 60_000} minutes and was killed`;
    if (code === 0) return undefined;
    return code === null ? `it was killed by ${killedBy ?? 'a signal'}` : `it ended with exit code ${code}`;
  } finally {
    limit.removeEventListener('abort', kill);
    process.off('exit', kill);
  }
}
