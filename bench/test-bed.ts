import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createWriteStream } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { startSimulator, type LedgerEntry, type Simulator } from '../simulator/start-simulator.ts';
import { TemporalServer } from '../test/support/temporal-server.ts';
import { waitFor } from '../test/support/wait-for.ts';
import type { BenchOptions } from './options.ts';
import { makeRows, planFaults, type Row } from './rows.ts';

const PEERS = fileURLToPath(new URL('./peers/', import.meta.url));
const TYPESCRIPT = new URL('../test/chaos/run-typescript.mjs', import.meta.url).href;

/** A process of a contestant, which can be killed and restarted any number of times. */
export interface BenchProcess {
  /** Sends SIGKILL, and starts the same command again at once. */
  killAndRestart(): Promise<void>;
  /** Resolves with the exit code once the process ends by itself, not by {@link killAndRestart}. */
  readonly ended: Promise<number | null>;
}

/** The test bed of one contestant: a simulator, a Temporal server and a folder of its own, set up the same for all. */
export class TestBed {
  readonly folder: string;
  readonly rows: readonly Row[];
  readonly env: NodeJS.ProcessEnv;
  readonly #simulator: Simulator;
  readonly #temporal: TemporalServer;
  readonly #options: BenchOptions;
  readonly #children = new Set<ChildProcess>();

  private constructor(
    folder: string,
    rows: readonly Row[],
    simulator: Simulator,
    temporal: TemporalServer,
    options: BenchOptions,
  ) {
    this.folder = folder;
    this.rows = rows;
    this.#simulator = simulator;
    this.#temporal = temporal;
    this.#options = options;
    this.env = {
      PATH: process.env['PATH'],
      HOME: folder,
      TEMPORAL_ADDRESS: temporal.address,
      VOXBATCH_API_URL: simulator.url,
      VOXBATCH_API_TOKEN: simulator.token,
    };
  }

  /** Starts the servers, and writes the rows to `rows.json` in the folder. */
  static async create(options: BenchOptions): Promise<TestBed> {
    const folder = await mkdtemp(join(tmpdir(), 'voxbatch-bench-'));
    const rows = makeRows(options.rows);
    const simulator = await startSimulator({
      seed: options.seed,
      plan: planFaults(rows, options.seed),
      // Only the documented form of answers: that a peer cannot parse another would prove nothing.
      shape: 'docs',
      rate: options.rate,
      createMs: [50, 150],
      jobMs: [1_000, 3_000],
    });
    await mkdir(join(folder, 'temporal'));
    await mkdir(join(folder, 'results'));
    const temporal = await TemporalServer.start(join(folder, 'temporal'));
    await writeFile(join(folder, 'rows.json'), JSON.stringify(rows));
    return new TestBed(folder, rows, simulator, temporal, options);
  }

  /** Starts a peer's file, from `bench/peers/`. */
  startPeer(file: string, args: readonly string[] = []): BenchProcess {
    return this.#start(['--import', TYPESCRIPT, join(PEERS, file), ...args]);
  }

  /** Starts `voxbatch …`. */
  startVoxbatch(args: readonly string[]): BenchProcess {
    return this.#start([join(this.#options.dist, 'starters', 'cli.js'), ...args]);
  }

  /**
   * Kills and restarts a process `options.kills` times, each time after another equal share of the rows was charged.
   */
  async killRepeatedly(victim: BenchProcess): Promise<void> {
    const { rows, kills } = this.#options;
    for (let kill = 1; kill <= kills; kill += 1) {
      const share = Math.ceil((kill * rows) / (kills + 1));
      await waitFor(() => this.#rowsCharged() >= share, this.#options.seconds * 1_000);
      await victim.killAndRestart();
    }
  }

  /** Returns every paid request that the API accepted. */
  charges(): LedgerEntry[] {
    return this.#simulator.ledger();
  }

  /** Returns the end of the processes' output, for a person to read. */
  async logTail(): Promise<string> {
    return (await readFile(join(this.folder, 'log.txt'), 'utf8').catch(() => '')).slice(-2_000);
  }

  /** Ends all processes and servers, and removes the folder. */
  async close(): Promise<void> {
    for (const child of this.#children) child.kill('SIGKILL');
    await this.#temporal.kill();
    await this.#simulator.close();
    await rm(this.folder, { recursive: true, force: true, maxRetries: 5 });
  }

  #rowsCharged(): number {
    return new Set(this.charges().map(({ text }) => text)).size;
  }

  #start(args: readonly string[]): BenchProcess {
    const log = createWriteStream(join(this.folder, 'log.txt'), { flags: 'a' });
    let child: ChildProcess;
    let resolveEnd: (code: number | null) => void;
    const ended = new Promise<number | null>((resolve) => (resolveEnd = resolve));
    const spawnChild = (): void => {
      const started = spawn(process.execPath, args, {
        cwd: this.folder,
        env: this.env,
        stdio: ['ignore', 'pipe', 'pipe'],
      });
      child = started;
      this.#children.add(started);
      started.stdout.pipe(log, { end: false });
      started.stderr.pipe(log, { end: false });
      started.once('exit', (code, signal) => {
        this.#children.delete(started);
        if (signal !== 'SIGKILL') resolveEnd(code);
      });
    };
    spawnChild();
    return {
      ended,
      killAndRestart: async () => {
        if (child.exitCode !== null || child.signalCode !== null) return;
        const gone = once(child, 'exit');
        child.kill('SIGKILL');
        await gone;
        spawnChild();
      },
    };
  }
}
