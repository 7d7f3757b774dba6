import { type ChildProcess, spawn } from 'node:child_process';
import { compiledOf } from '../compiled.mjs';

/**
 * Starts a Node process that runs one of our TypeScript files, for tests that kill real processes.
 *
 * @param entry path of the `.ts` file from the project's root
 * @param env the whole environment of the process
 * @param user id of the user and group that it runs as; only root may choose one. Default: ours
 * @returns the process, with all three streams as pipes
 */
export function spawnTypescript(
  entry: string,
  args: readonly string[] = [],
  env: NodeJS.ProcessEnv = process.env,
  user?: number,
): ChildProcess {
  return spawn(process.execPath, ['--enable-source-maps', compiledOf(entry), ...args], {
    env,
    stdio: 'pipe',
    ...(user === undefined ? {} : { uid: user, gid: user, cwd: '/' }),
  });
}
