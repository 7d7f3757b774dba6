import { spawn } from 'node:child_process';
import { join } from 'node:path';

/** A command line to run. */
export interface RunRequest {
  /** Folder of the compiled voxbatch. */
  readonly dist: string;
  /** Where it runs. */
  readonly folder: string;
  readonly env: NodeJS.ProcessEnv;
  readonly args: readonly string[];
  /** SIGKILL after this, ms, if it has not ended. Default never. */
  readonly killAfterMs?: number | undefined;
}

/** How it ended. */
export interface RunEnd {
  readonly folder: string;
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stdout: string;
  readonly stderr: string;
  readonly tookMs: number;
}

/** Runs a command of the compiled voxbatch to its end, or to its kill. */
export function runToEnd({ dist, folder, env, args, killAfterMs }: RunRequest): Promise<RunEnd> {
  return new Promise((resolve, reject) => {
    const begun = performance.now();
    const cli = join(dist, 'starters', 'cli.js');
    const child = spawn(process.execPath, [cli, ...args], { cwd: folder, env, stdio: ['ignore', 'pipe', 'pipe'] });
    const kill = (): void => {
      child.kill('SIGKILL');
    };
    const timer = killAfterMs === undefined ? undefined : setTimeout(kill, killAfterMs);
    let stdout = '';
    let stderr = '';
    child.stdout.setEncoding('utf8').on('data', (text: string) => (stdout += text));
    child.stderr.setEncoding('utf8').on('data', (text: string) => (stderr += text));
    child.on('error', reject);
    child.on('close', (code, signal) => {
      clearTimeout(timer);
      resolve({ folder, code, signal, stdout, stderr, tookMs: performance.now() - begun });
    });
  });
}
