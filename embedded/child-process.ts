import { execFileSync, spawn, type ChildProcess, type SpawnOptions } from 'node:child_process';
import { SECRET_NAME } from '../contract/environment.ts';

/**
 * Matches the settings of voxbatch and Temporal, among which are the API token, a cluster's API key and its TLS keys.
 */
const OWN_SETTINGS = /^(VOXBATCH|TEMPORAL)_/i;
/** Matches an address with a user name or password in it. */
const SECRET_ADDRESS = /^\s*[a-z][a-z0-9+.-]*:\/\/[^/?#]*@/i;
/** The variables that hold a proxy's address, which may lack a scheme. */
export const PROXIES = ['HTTPS_PROXY', 'https_proxy', 'HTTP_PROXY', 'http_proxy'] as const;

/**
 * Returns the environment for a program that must not see our secrets. Removes the settings of voxbatch and Temporal,
 * and whatever looks like another program's secret, by its name or because it is an address with a password. Keeps the
 * variables that `passes` names, because the program needs them.
 */
export function withoutSecrets(env: NodeJS.ProcessEnv, passes: readonly string[] = []): NodeJS.ProcessEnv {
  const isSecret = (name: string, value = ''): boolean =>
    OWN_SETTINGS.test(name) || SECRET_NAME.test(name) || SECRET_ADDRESS.test(value) || isSecretProxy(name, value);
  return Object.fromEntries(
    Object.entries(env).filter(([name, value]) => passes.includes(name) || !isSecret(name, value)),
  );
}

/** Returns whether a variable holds a proxy's address with a user name or password. */
export function isSecretProxy(name: string, value: string): boolean {
  return PROXIES.some((proxy) => proxy === name) && value.includes('@');
}

/** How to start a program. `env` keeps only the secrets that `passes` names. */
export type StartChildOptions = Omit<SpawnOptions, 'env' | 'shell'> & {
  readonly env: NodeJS.ProcessEnv;
  readonly passes?: readonly string[];
};

/**
 * Starts a program. All child processes start here: a rule of `npm run check` bans `node:child_process` from every
 * other file that ships.
 */
export function startChild(command: string, args: readonly string[], options: StartChildOptions): ChildProcess {
  const { passes = [], env, ...rest } = options;
  return spawn(command, args, { ...rest, env: withoutSecrets(env, passes) });
}

/** Runs a short program and returns what it printed. Throws if it fails. */
export function captureOutput(command: string, args: readonly string[], env: NodeJS.ProcessEnv): string {
  return execFileSync(command, args, { encoding: 'utf8', env: withoutSecrets(env) });
}

/** How to run a command. */
export interface CommandOptions {
  /** The environment; secrets are removed from it, see {@link withoutSecrets}. */
  readonly env: NodeJS.ProcessEnv;
  readonly cwd?: string;
  /** The command is killed after this long, in ms. */
  readonly timeoutMs: number;
  readonly signal?: AbortSignal | undefined;
  /** Secrets that the command needs nevertheless. */
  readonly passes?: readonly string[];
}

/** How a command ended. */
export interface CommandResult {
  /** True if it ended by itself with code 0. */
  readonly ok: boolean;
  /** The last 8,000 characters of what it printed, stdout and stderr together. */
  readonly output: string;
  /** How it ended, in words, if it failed. */
  readonly why: string;
}

/** Max characters of output that are kept. */
const MAX_OUTPUT = 8_000;

/**
 * Runs a command to its end and returns how it ended, also if it fails or cannot be started. Kills it after
 * `timeoutMs`. Rejects only if the signal aborts, with its reason.
 */
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
    output = (output + chunk.toString('utf8')).slice(-MAX_OUTPUT);
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
