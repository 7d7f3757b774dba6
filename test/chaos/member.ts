import { spawn, type ChildProcess } from 'node:child_process';
import { closeSync, openSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import type { FaultPoint } from '../../activities/fault-points.ts';
import { waitFor } from '../support/wait-for.ts';

const FAULT_POINT_CLI = fileURLToPath(new URL('./fault-point-cli.mjs', import.meta.url));
/** Whoever ended without being told is started again after this long, ms, as a service manager does. */
const RESTART_MS = 1_000;

/** Exit codes of a batch that is complete. */
export const COMPLETE: readonly number[] = [0, 10, 13, 14];

/** How a process of a member ended. */
export interface MemberEnd {
  readonly pid: number;
  readonly at: number;
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  /** True if this run ended it. */
  readonly wanted: boolean;
  /** How long it ran, ms. */
  readonly ranMs: number;
}

export interface MemberOptions {
  readonly name: string;
  /** Of the command line. */
  readonly args: readonly string[];
  /** Where it runs. */
  readonly folder: string;
  /** Where its stdout and stderr go, one after another for all of its processes. */
  readonly logs: string;
  readonly env: NodeJS.ProcessEnv;
  /** Folder of the compiled voxbatch. */
  readonly dist: string;
  /** Exit codes after which it is not started again. */
  readonly isFinal: (code: number) => boolean;
}

/**
 * One command of a run, over all the processes that it takes.
 *
 * It is *down* (not started, or killed), *up*, *standing still* (SIGSTOP), or *done* (ended with a final exit code). Whoever
 * ends in another way without being told is recorded and started again.
 */
export class Member {
  readonly ends: MemberEnd[] = [];
  readonly #options: MemberOptions;
  #child: ChildProcess | undefined;
  #wantedEnd = false;
  #finalCode: number | undefined;
  #closed = false;

  constructor(options: MemberOptions) {
    this.#options = options;
  }

  get name(): string {
    return this.#options.name;
  }

  /** Process id; undefined while down. */
  get pid(): number | undefined {
    return this.isUp ? this.#child?.pid : undefined;
  }

  get isUp(): boolean {
    return this.#child !== undefined && this.#child.exitCode === null && this.#child.signalCode === null;
  }

  /** The exit code that ended it for good. */
  get finalCode(): number | undefined {
    return this.#finalCode;
  }

  start(): void {
    if (this.isUp || this.#finalCode !== undefined || this.#closed) return;
    const { name, args, folder, logs, env, dist } = this.#options;
    const log = openSync(join(logs, `${name}.log`), 'a');
    const main = pathToFileURL(join(dist, 'starters', 'main.js')).href;
    const child = spawn(process.execPath, [FAULT_POINT_CLI, ...args], {
      cwd: folder,
      env: { ...env, CHAOS_MAIN: main },
      stdio: ['ignore', log, log, 'ipc'],
    });
    closeSync(log);
    const startedAt = Date.now();
    this.#child = child;
    this.#wantedEnd = false;
    child.on('error', () => undefined);
    child.on('exit', (code, signal) => {
      const at = Date.now();
      this.ends.push({ pid: child.pid ?? 0, at, code, signal, wanted: this.#wantedEnd, ranMs: at - startedAt });
      if (this.#wantedEnd) return;
      if (code !== null && this.#options.isFinal(code)) this.#finalCode = code;
      else
        setTimeout(() => {
          this.start();
        }, RESTART_MS);
    });
  }

  /** SIGKILL, also of one that stands still. */
  async kill(): Promise<void> {
    this.#wantedEnd = true;
    this.#child?.kill('SIGKILL');
    await this.#untilDown();
  }

  /** Makes it stand still. */
  async stop(): Promise<void> {
    this.#child?.kill('SIGSTOP');
    await this.untilStill(5_000);
  }

  goOn(): void {
    this.#child?.kill('SIGCONT');
  }

  /**
   * Asks it to kill itself, or to stand still, at a moment of its `nth` paid request or download from now. Resolves with true
   * when that has happened; with false if it has not within `limitMs`, or the process ended otherwise.
   */
  async strikeAt(moment: FaultPoint, nth: number, signal: 'SIGKILL' | 'SIGSTOP', limitMs: number): Promise<boolean> {
    const child = this.#child;
    if (child?.connected !== true) return false;
    const restarts = this.#wantedEnd;
    if (signal === 'SIGKILL') this.#wantedEnd = true;
    child.send({ moment, nth, signal });
    if (signal === 'SIGSTOP') {
      const stands = await this.untilStill(limitMs);
      if (!stands) this.#takeBack(child);
      return stands;
    }
    const struck = await waitFor(() => !this.isUp, limitMs).then(
      () => child.signalCode === 'SIGKILL',
      () => false,
    );
    if (!struck && this.isUp) this.#wantedEnd = restarts;
    return struck;
  }

  /** Else the moment might come later, and nobody would let it go on. */
  #takeBack(child: ChildProcess): void {
    if (child.connected) child.send({});
    child.kill('SIGCONT');
  }

  /** True when it stands still; false if it does not within `limitMs`. */
  untilStill(limitMs: number): Promise<boolean> {
    return waitFor(async () => (await stateOf(this.#child?.pid)) === 'T', limitMs).then(
      () => true,
      () => false,
    );
  }

  /** Tells it to end (SIGTERM), and kills it if it does not within `graceMs`. Returns its exit code; null if it was killed. */
  async end(graceMs: number): Promise<number | null> {
    this.#closed = true;
    this.#wantedEnd = true;
    const child = this.#child;
    if (child === undefined || !this.isUp) return child?.exitCode ?? null;
    child.kill('SIGTERM');
    child.kill('SIGCONT');
    await waitFor(() => !this.isUp, graceMs).catch(() => child.kill('SIGKILL'));
    await this.#untilDown();
    return child.exitCode;
  }

  /** Kills it for good. */
  async close(): Promise<void> {
    this.#closed = true;
    await this.kill();
  }

  #untilDown(): Promise<void> {
    return waitFor(() => !this.isUp);
  }
}

/** State of a process by the kernel's word: `T` stands still, `R` and `S` live. */
async function stateOf(pid: number | undefined): Promise<string | undefined> {
  const stat = await readFile(`/proc/${String(pid)}/stat`, 'utf8').catch(() => '');
  return /\) (\w) /.exec(stat)?.[1];
}
