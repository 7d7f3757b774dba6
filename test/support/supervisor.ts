import { spawn, type ChildProcess } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseEnvironmentFile, parseUnit, type UnitFile } from './unit-file.ts';
import { waitFor } from './wait-for.ts';

/** How the main process of a service ended. */
export interface MainEnd {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
}

/**
 * Runs a service by the rules of systemd for what its unit says: an environment of its own, `ExecStartPost` before it
 * counts as started, restarts until it is stopped, and `KillMode=mixed`: the signal goes to the main process, and what is
 * left when that has ended is killed. A process belongs to the service as long as it has the id of its start in its
 * environment; systemd goes by control groups instead.
 */
export class Supervisor {
  /** How each main process ended. */
  readonly ends: MainEnd[] = [];
  /** What was left of the service and had to be killed, by command line, since the last start. */
  leftOver: readonly string[] = [];
  readonly #unit: UnitFile;
  #main: ChildProcess | undefined;
  #invocation = '';
  #stopping = new AbortController();
  #running: Promise<void> = Promise.resolve();
  #started = 0;
  #log = '';

  /** Throws for a unit that it cannot run in the way of systemd. */
  constructor(unit: string) {
    this.#unit = parseUnit(unit);
    const { restart, killMode } = this.#unit;
    if (restart !== 'always' || killMode !== 'mixed') throw new Error(`expected Restart=always and KillMode=mixed`);
  }

  /** Starts the service; resolves when it has started. */
  async start(): Promise<void> {
    this.#stopping = new AbortController();
    this.#running = this.#run();
    await this.untilStarted(this.#started + 1);
  }

  /** Waits until it has started so many times. */
  async untilStarted(times: number): Promise<void> {
    await waitFor(() => this.#started >= times);
  }

  /** Stops the service as `systemctl stop` does, and returns how its main process ended. */
  async stop(): Promise<MainEnd> {
    this.#stopping.abort();
    this.#main?.kill(this.#unit.killSignal);
    const impatience = setTimeout(() => this.#main?.kill('SIGKILL'), this.#unit.stopTimeoutMs);
    await this.#running;
    clearTimeout(impatience);
    const end = this.ends.at(-1);
    if (end === undefined) throw new Error('it never ran');
    return end;
  }

  /** Process id of the service. */
  get mainPid(): number {
    const { pid } = this.#main ?? {};
    if (pid === undefined) throw new Error('it does not run');
    return pid;
  }

  /** All that it has written to stderr. */
  get log(): string {
    return this.#log;
  }

  async #run(): Promise<void> {
    const { signal } = this.#stopping;
    while (!signal.aborted) {
      this.#invocation = randomUUID();
      const main = this.#spawn(this.#unit.execStart);
      this.#main = main;
      const ended = endOf(main);
      const post = this.#spawn(this.#unit.execStartPost);
      const impatience = setTimeout(() => post.kill('SIGKILL'), this.#unit.startTimeoutMs);
      void endOf(post).then(({ code }) => {
        clearTimeout(impatience);
        if (code === 0) this.#started += 1;
        else main.kill(this.#unit.killSignal);
      });
      this.ends.push(await ended);
      await this.#killRest();
      await sleep(this.#unit.restartMs, undefined, { signal }).catch(() => undefined);
    }
  }

  #spawn([program = '', ...args]: readonly string[]): ChildProcess {
    const { workingDirectory, environment, environmentFile } = this.#unit;
    const { path, isOptional } = environmentFile;
    const secrets = isOptional && !existsSync(path) ? {} : parseEnvironmentFile(readFileSync(path, 'utf8'));
    // Nothing of the environment of this process.
    const env = { ...environment, ...secrets, INVOCATION_ID: this.#invocation };
    const child = spawn(program, args, { cwd: workingDirectory, env, stdio: ['ignore', 'ignore', 'pipe'] });
    child.stderr.setEncoding('utf8').on('data', (text: string) => (this.#log += text));
    return child;
  }

  /** Kills what is left of the service. */
  async #killRest(): Promise<void> {
    const left = this.#processes();
    this.leftOver = left.map((pid) => read(`/proc/${String(pid)}/cmdline`).replaceAll('\0', ' '));
    for (const pid of left) kill(pid);
    await waitFor(() => this.#processes().length === 0);
  }

  #processes(): readonly number[] {
    const mark = `INVOCATION_ID=${this.#invocation}\0`;
    const pids = readdirSync('/proc').filter((name) => /^\d+$/.test(name));
    return pids.filter((pid) => read(`/proc/${pid}/environ`).includes(mark)).map(Number);
  }
}

function endOf(child: ChildProcess): Promise<MainEnd> {
  return new Promise((resolve, reject) => {
    child.on('error', reject);
    child.on('exit', (code, signal) => {
      resolve({ code, signal });
    });
  });
}

function kill(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // It has just ended.
  }
}

/** Empty if the process has ended. */
function read(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '';
  }
}
