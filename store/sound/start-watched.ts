import { spawn, type ChildProcess } from 'node:child_process';
import { accessSync, constants, existsSync } from 'node:fs';
import type { Writable } from 'node:stream';

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
export function startWatched(
  program: string,
  args: readonly string[],
  streams: readonly ('pipe' | 'ignore')[],
): ChildProcess {
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
