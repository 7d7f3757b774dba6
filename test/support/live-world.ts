import { spawn, type ChildProcess } from 'node:child_process';
import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { mkdtemp, readFile, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import {
  startSimulator,
  type FaultPlan,
  type Simulator,
  type SimulatorOptions,
} from '../../simulator/start-simulator.ts';
import type { StatisticsReport } from '../../simulator/statistics.ts';
import { joinServer, type Membership } from '../../embedded/join-server.ts';
import type { WebhookMode } from '../../simulator/webhook-modes.ts';
import { replayFolder } from './replay-folder.ts';
import { inTerminalWindow } from './terminal-window.ts';
import { mixedManifest } from './mixed-manifest.ts';
import { waitFor } from './wait-for.ts';

/** How a command ended. */
export interface Ended {
  /** Null if it was killed. */
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** How a command is started. */
export interface StartOptions {
  /** Over the world's own settings; `undefined` takes one away. */
  readonly env?: NodeJS.ProcessEnv;
  /** Folder of the world that it works in; default the world's own. */
  readonly folder?: string;
  /** Makes it kill itself at a moment (`after-intent:3`). */
  readonly dieAt?: string;
  /** What comes through its stdin; default nothing. */
  readonly input?: string | Buffer;
  /** No file that it writes, or a child of it, may grow beyond this, in bytes: a full disk that needs no rights. */
  readonly largestFile?: number;
  /** See {@link inTerminalWindow}. */
  readonly inWindow?: boolean;
}

/** A command that runs. */
export interface Running {
  readonly child: ChildProcess;
  readonly ended: Promise<Ended>;
  /** Resolves when the text has appeared on stderr; rejects if the command ends before. */
  said(text: string | RegExp): Promise<void>;
}

const CLI = fileURLToPath(new URL('../../dist/starters/cli.js', import.meta.url));
const DYING_CLI = fileURLToPath(new URL('./dying-cli.mjs', import.meta.url));

/**
 * A folder of one's own with a simulator, for the compiled command line as a user runs it. Processes that are still there at
 * the end are killed, and that fails the test.
 */
export class LiveWorld {
  readonly folder: string;
  readonly simulator: Simulator;
  readonly #env: NodeJS.ProcessEnv;
  readonly #children = new Set<ChildProcess>();
  #lastWords = '';
  #membership: Membership | undefined;

  private constructor(folder: string, simulator: Simulator) {
    this.folder = folder;
    this.simulator = simulator;
    this.#env = {
      PATH: process.env['PATH'],
      HOME: process.env['HOME'],
      // What it confirms is none of the user's own.
      XDG_STATE_HOME: join(folder, '.state'),
      VOXBATCH_TEMPORAL_CLI: process.env['VOXBATCH_TEMPORAL_CLI'],
      VOXBATCH_API_URL: simulator.url,
      VOXBATCH_API_TOKEN: simulator.token,
    };
  }

  /** `name`: what the name of the folder begins with. */
  static async create(options: SimulatorOptions = {}, name = 'voxbatch-live-'): Promise<LiveWorld> {
    const folder = await realpath(await mkdtemp(join(tmpdir(), name)));
    return new LiveWorld(folder, await startSimulator(options));
  }

  /**
   * The same, with a Temporal server that runs until the world is closed: a command that finds one takes two thirds of the processor's time of one
   * that starts its own. Not for tests of a server, of a process that dies, or of what is left behind.
   */
  static async withServer(options: SimulatorOptions = {}): Promise<LiveWorld> {
    const world = await LiveWorld.create(options);
    const home = world.path('.voxbatch');
    world.#membership = await joinServer({ home, env: process.env, say: () => undefined });
    return world;
  }

  /** Path of a file in the folder. */
  path(...parts: string[]): string {
    return join(this.folder, ...parts);
  }

  async write(name: string, content: string | Buffer): Promise<string> {
    await writeFile(this.path(name), content);
    return name;
  }

  read(...parts: string[]): Promise<string> {
    return readFile(this.path(...parts), 'utf8');
  }

  /** Writes `lines.csv` of so many rows, and a configuration that looks at jobs often, because the jobs of tests are short. */
  async prepare(rows: number, kinds?: readonly string[]): Promise<void> {
    await this.write('lines.csv', mixedManifest(rows, kinds));
    await this.write('voxbatch.config.json', JSON.stringify({ polling: { firstLookMs: 500, gapMs: 500 } }));
  }

  /** Writes a configuration that its user has to confirm, and confirms it. */
  async confirm(config: string): Promise<void> {
    await this.write('voxbatch.config.json', config);
    const { code, stderr } = await this.run(['trust']);
    if (code !== 0) throw new Error(`The configuration was not confirmed: ${stderr}`);
  }

  /** Starts `voxbatch …`. */
  start(args: readonly string[], options: StartOptions = {}): Running {
    const { dieAt, env, folder = '.', input, largestFile } = options;
    const node = [process.execPath, dieAt === undefined ? CLI : DYING_CLI, ...args];
    // In POSIX, `ulimit -f` counts blocks of 512 bytes.
    const limited = ['/bin/sh', '-c', `ulimit -f ${String(Math.ceil((largestFile ?? 0) / 512))} && exec "$@"`, 'sh'];
    const command = largestFile === undefined ? node : [...limited, ...node];
    const [file = '', ...rest] = options.inWindow === true ? inTerminalWindow(command) : command;
    const child = spawn(file, rest, {
      cwd: this.path(folder),
      env: { ...this.#env, ...env, ...(dieAt === undefined ? {} : { DIE_AT: dieAt }) },
      stdio: ['pipe', 'pipe', 'pipe'],
    });
    this.#children.add(child);
    // A command that does not use its stdin may end before all is written.
    child.stdin.on('error', () => undefined);
    child.stdin.end(input);
    let stdout = '';
    let stderr = '';
    child.stdout.setEncoding('utf8').on('data', (text: string) => (stdout += text));
    child.stderr.setEncoding('utf8').on('data', (text: string) => (stderr += text));
    const note = noteCommand(args, () => stderr);
    const ended = new Promise<Ended>((resolve, reject) => {
      child.on('error', reject);
      child.on('close', (code, signal) => {
        this.#children.delete(child);
        this.#lastWords = stderr;
        Object.assign(note, { code, signal });
        resolve({ code, signal, stdout, stderr });
      });
    });
    const said = (text: string | RegExp): Promise<void> =>
      new Promise((resolve, reject) => {
        const look = (): void => {
          if (typeof text === 'string' ? stderr.includes(text) : text.test(stderr)) resolve();
        };
        child.stderr.on('data', look);
        child.on('close', () => {
          reject(new Error(`the command ended before it said ${String(text)}; it said:\n${stderr}`));
        });
        look();
      });
    return { child, ended, said };
  }

  /** Runs `voxbatch …` to its end. */
  run(args: readonly string[], options: StartOptions = {}): Promise<Ended> {
    return this.start(args, options).ended;
  }

  /** The lines of the results, by id. */
  async results(batch: string): Promise<Map<string, Record<string, unknown>>> {
    const lines = (await this.read('out', batch, 'results.jsonl')).trim().split('\n');
    const rows = lines.map((line) => JSON.parse(line) as Record<string, unknown>);
    return new Map(rows.map((row) => [String(row['id']), row]));
  }

  /** What the simulator counted: answers by endpoint, paid requests, tokens that came where none may come. */
  async statistics(): Promise<StatisticsReport> {
    const answer = await fetch(new URL('/__simulator/stats', this.simulator.url), { headers: { connection: 'close' } });
    const report = (await answer.json()) as StatisticsReport;
    // The tests' own requests are none of the command's.
    const endpoints = Object.entries(report.endpoints).filter(([route]) => !route.includes('/__simulator/'));
    return { ...report, endpoints: Object.fromEntries(endpoints) };
  }

  /**
   * Paid requests that the simulator took, by idempotency key: the only count of charges that a test may trust. Of all batches,
   * or of one.
   */
  charges(batch?: string): Map<string, number> {
    const counted = new Map<string, number>();
    for (const { idempotencyKey } of this.simulator.ledger()) {
      const key = idempotencyKey ?? 'none';
      if (batch !== undefined && !key.includes(`-${batch}-`)) continue;
      counted.set(key, (counted.get(key) ?? 0) + 1);
    }
    return counted;
  }

  /** Keys that were charged more than once. */
  doubleCharges(): string[] {
    return [...this.charges()].filter(([, count]) => count > 1).map(([key]) => key);
  }

  /** Changes the simulator while it runs: its balance, the token that it takes, its limits, how long jobs take (those that run, too). */
  async changeSimulator(settings: {
    readonly credits?: number;
    readonly token?: string;
    readonly rate?: number | null;
    readonly jobMs?: readonly [number, number];
    readonly webhooks?: WebhookMode;
  }): Promise<void> {
    await this.#control('settings', settings);
  }

  /** Replaces the fault plan of the simulator while it runs. */
  async changePlan(plan: FaultPlan): Promise<void> {
    await this.#control('plan', plan);
  }

  async #control(what: string, body: unknown): Promise<void> {
    const answer = await fetch(new URL(`/__simulator/${what}`, this.simulator.url), {
      method: 'PUT',
      headers: { 'content-type': 'application/json', connection: 'close' },
      body: JSON.stringify(body),
    });
    if (!answer.ok) throw new Error(`The simulator refuses the ${what}: ${await answer.text()}`);
  }

  /** Waits until so many paid requests were taken. */
  async untilCharged(count: number): Promise<void> {
    let lookAt = 0;
    await waitFor(() => {
      const isThere = this.simulator.ledger().length >= count;
      // To look at all processes of the machine takes milliseconds of a core.
      const isTime = performance.now() >= lookAt;
      if (isTime) lookAt = performance.now() + 1_000;
      if (!isThere && isTime && this.#children.size === 0 && this.processes().length === 0) {
        throw new Error(
          `Nobody is left to make ${String(count)} paid requests. The last command said:\n${this.#lastWords}`,
        );
      }
      return isThere;
    });
  }

  /**
   * Waits for paid requests after a moment (ms since 1970), which come by themselves or fail the test; returns how long after it the n-th was
   * taken, in ms, for a report. The first few may have been handed out before that moment.
   */
  async chargedAfter(since: number, nth = 1): Promise<number> {
    const wanted = (): number | undefined => this.simulator.ledger().filter(({ at }) => at > since)[nth - 1]?.at;
    await waitFor(() => wanted() !== undefined);
    return (wanted() ?? Infinity) - since;
  }

  /** `voxbatch status --json`, parsed. */
  async status(batch: string): Promise<BatchStatus> {
    const { stdout, stderr } = await this.run(['status', batch, '--json']);
    if (stdout === '') throw new Error(`status printed nothing; it said: ${stderr}`);
    return JSON.parse(stdout) as BatchStatus;
  }

  /** `server.json` of the embedded server; undefined if there is none. It has a `clusterId` once the server has answered. */
  async server(): Promise<{ readonly pid: number; readonly port: number; readonly clusterId?: string } | undefined> {
    const text = await this.read('.voxbatch', 'server.json').catch(() => undefined);
    return text === undefined ? undefined : (JSON.parse(text) as { pid: number; port: number; clusterId?: string });
  }

  /** Waits until no process is left that was started in the folder. */
  async untilAlone(): Promise<void> {
    await waitFor(() => this.processes().length === 0, undefined, 200);
  }

  /** Ids of the processes that were started in the folder and still are there, by the kernel's word (Linux). */
  processes(): number[] {
    return readdirSync('/proc')
      .filter((name) => /^\d+$/.test(name))
      .map(Number)
      .filter((pid) => {
        try {
          const isHere = readlinkSync(`/proc/${String(pid)}/cwd`).startsWith(this.folder);
          return isHere && !/\) Z /.test(readFileSync(`/proc/${String(pid)}/stat`, 'utf8'));
        } catch {
          return false; // it has ended, or is another user's
        }
      });
  }

  /**
   * Ends what is left, and replays every history that the test has made and not deleted; returns how many those were. Throws if a
   * command was left, or if a history does not replay.
   */
  async close(): Promise<number> {
    const left = [...this.#children].filter((child) => child.exitCode === null && child.signalCode === null);
    if (this.#membership === undefined) await this.#endProcesses();
    await this.simulator.close();
    let replayed: number;
    try {
      replayed = await this.#replay();
    } finally {
      await this.#endProcesses();
      await rm(this.folder, { recursive: true, force: true, maxRetries: 5 });
    }
    if (left.length > 0) throw new Error(`${String(left.length)} commands were still running at the end of the test.`);
    return replayed;
  }

  async #replay(): Promise<number> {
    const membership = this.#membership;
    if (membership === undefined) return replayFolder(this.folder);
    try {
      const { replayHistoriesAt } = await import('./replay-histories.ts');
      return await replayHistoriesAt(membership.address);
    } finally {
      await membership.leave();
    }
  }

  async #endProcesses(): Promise<void> {
    for (const pid of this.processes()) {
      try {
        process.kill(pid, 'SIGKILL');
      } catch {
        // It had ended.
      }
    }
    await this.untilAlone();
  }
}

/** A command, for the error of a test that fails (`test/live-environment.mjs`). Without a code while it runs. */
interface NotedCommand {
  readonly args: readonly string[];
  readonly stderr: string;
}

function noteCommand(args: readonly string[], words: () => string): NotedCommand {
  const world = globalThis as { voxbatchCommands?: NotedCommand[] };
  const note = {
    args,
    get stderr() {
      return words();
    },
  };
  // `status` is asked again and again, and says little.
  if (args[0] !== 'status') (world.voxbatchCommands ??= []).push(note);
  return note;
}

/** What `status --json` prints, as far as tests read it. */
export interface BatchStatus {
  readonly state: string;
  readonly control: string;
  readonly exit: string;
  readonly rows: number;
  readonly done: number;
  readonly states: Readonly<Record<string, number>>;
  readonly outcomes: Readonly<Record<string, number>>;
}
