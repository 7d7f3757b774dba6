import { mkdtemp, readFile, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import {
  startSimulator,
  type FaultPlan,
  type Simulator,
  type SimulatorOptions,
} from '../../simulator/start-simulator.ts';
import type { StatisticsReport } from '../../simulator/statistics.ts';
import { joinServer, type Membership } from '../../embedded/join-server.ts';
import type { WebhookMode } from '../../simulator/webhook-modes.ts';
import { defined } from '../../contract/defined.ts';
import { openLedger } from '../../ledger/open-ledger.ts';
import { killAllIn, processesIn } from './processes-in.ts';
import { replayFolder } from './replay-folder.ts';
import { endAfterTest } from './end-after-test.ts';
import type { TemporalPlace } from './temporal-place.ts';
import { startCommand, type Ended, type Running, type StartOptions } from './live-command.ts';
import { mixedManifest } from './mixed-manifest.ts';
import { waitFor } from './wait-for.ts';

/** What a world begins with, beside what its simulator is told. */
export interface WorldOptions extends SimulatorOptions {
  /** Of `lines.csv`; its kinds in turn: default all of {@link mixedManifest}. */
  readonly rows?: number;
  readonly kinds?: readonly string[];
  /** Of the folder's configuration. By default a look at a job comes after half a second, because the jobs of tests are short. */
  readonly config?: object;
  /**
   * A Temporal server that runs until the world is closed: a command that finds one takes two thirds of the processor's time of one
   * that starts its own. Not for tests of a server, of a process that dies, or of what is left behind.
   */
  readonly server?: boolean;
  /** The ledger of all its commands. Default: a file in the folder. */
  readonly ledger?: string;
  /** Temporal that its commands use, if its database is not in the folder. */
  readonly temporal?: TemporalPlace;
}

/** What has not arrived at the simulator for so long was not on the wire, ms. */
const QUIET_MS = 1_000;
const QUICK_LOOKS = { polling: { firstLookMs: 500, gapMs: 500 } };

/**
 * A folder of one's own with a simulator, for the compiled command line as a user runs it. Processes that are still there at
 * the end are killed, and that fails the test.
 */
export class LiveWorld {
  readonly folder: string;
  readonly simulator: Simulator;
  /** Address of its ledger. */
  readonly ledger: string;
  readonly #temporal: TemporalPlace | undefined;
  readonly #env: NodeJS.ProcessEnv;
  #isForgotten = false;
  readonly #running = new Set<Running>();
  #lastWords = '';
  #membership: Membership | undefined;

  private constructor(folder: string, simulator: Simulator, { ledger, temporal }: WorldOptions) {
    this.folder = folder;
    this.ledger = ledger ?? this.path('.voxbatch', 'ledger.db');
    this.#temporal = temporal;
    this.simulator = simulator;
    this.#env = {
      PATH: process.env['PATH'],
      HOME: process.env['HOME'],
      // What it confirms is none of the user's own.
      XDG_STATE_HOME: join(folder, '.state'),
      VOXBATCH_TEMPORAL_CLI: process.env['VOXBATCH_TEMPORAL_CLI'],
      VOXBATCH_API_URL: simulator.url,
      VOXBATCH_API_TOKEN: simulator.token,
      ...(ledger === undefined ? {} : { VOXBATCH_LEDGER: ledger }),
    };
  }

  /** Opens a world, which is closed after the test, or, from `beforeAll`, after the last one of the file. */
  static async open(options: WorldOptions = {}): Promise<LiveWorld> {
    const { rows, kinds, config, server = false, ledger, temporal, ...simulated } = options;
    const folder = await realpath(await mkdtemp(join(tmpdir(), 'voxbatch-live-')));
    const world = new LiveWorld(folder, await startSimulator(simulated), defined({ ledger, temporal }));
    endAfterTest(() => world.close());
    if (ledger !== undefined) await (await openLedger(ledger, { makesTables: true })).close();
    if (rows !== undefined) await world.write('lines.csv', mixedManifest(rows, kinds));
    if (rows !== undefined || config !== undefined) await world.configure({ ...QUICK_LOOKS, ...config });
    if (server) world.#membership = await world.join();
    return world;
  }

  /** The test takes away all that Temporal has recorded: nothing may be left to replay at the end. */
  forget(): void {
    this.#isForgotten = true;
  }

  /** Makes this process one more of those that use the server of the folder. */
  join(): Promise<Membership> {
    return joinServer({ home: this.path('.voxbatch'), env: process.env, say: () => undefined });
  }

  /** Does what needs the home for itself: the world's server is away meanwhile. */
  async withoutServer(work: () => Promise<void>): Promise<void> {
    await this.#membership?.leave();
    await work();
    if (this.#membership !== undefined) this.#membership = await this.join();
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

  /** Writes the configuration of the folder. */
  async configure(config: object): Promise<void> {
    await this.write('voxbatch.config.json', JSON.stringify(config));
  }

  /** Writes a configuration that its user has to confirm, and confirms it. */
  async confirm(config: object): Promise<void> {
    await this.configure(config);
    const { code, stderr } = await this.run(['trust']);
    if (code !== 0) throw new Error(`The configuration was not confirmed: ${stderr}`);
  }

  /** Starts `voxbatch …`. */
  start(args: readonly string[], options: StartOptions = {}): Running {
    const place = { folder: this.path(options.folder ?? '.'), env: this.#env };
    const running = startCommand(args, options, place);
    this.#running.add(running);
    const forget = ({ stderr }: { readonly stderr: string }): void => {
      this.#running.delete(running);
      this.#lastWords = stderr;
    };
    running.ended.then(forget, () => undefined);
    return running;
  }

  /** Starts a `worker` or an `up`, and waits until it works. */
  async startWorking(args: readonly string[], options: StartOptions = {}): Promise<Running> {
    const running = this.start(args, options);
    await running.said('Working for account');
    return running;
  }

  /** Runs `voxbatch …` to its end. */
  async run(args: readonly string[], options: StartOptions = {}): Promise<Ended> {
    const ended = await this.start(args, options).ended;
    if (ended.code !== null && args.includes('--json'))
      (await import('./published-views.ts')).requirePublished(args, ended.stdout);
    return ended;
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
      if (!isThere && isTime && this.#running.size === 0 && this.processes().length === 0) {
        throw new Error(
          `Nobody is left to make ${String(count)} paid requests. The last command said:\n${this.#lastWords}`,
        );
      }
      return isThere;
    });
  }

  /**
   * Waits until what was on the wire has been taken: the simulator charges for a request that has arrived, also if its sender was killed
   * meanwhile. Only where nobody sends any more. Returns how many paid requests were taken.
   */
  async untilTaken(): Promise<number> {
    for (;;) {
      const taken = this.simulator.ledger().length;
      await pause(QUIET_MS);
      if (this.simulator.ledger().length === taken) return taken;
    }
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

  /** SIGKILL of the embedded server. With `isBack`, waits until those that use it have started it again. */
  async killServer(isBack = true): Promise<void> {
    const killed = await this.server();
    if (killed === undefined) throw new Error('There is no server to kill.');
    process.kill(killed.pid, 'SIGKILL');
    await waitFor(async () => {
      if (!isBack) return !this.processes().includes(killed.pid);
      const server = await this.server();
      return server?.clusterId !== undefined && server.pid !== killed.pid;
    });
  }

  /** Waits until no process is left that was started in the folder. */
  async untilAlone(): Promise<void> {
    await waitFor(() => this.processes().length === 0, undefined, 200);
  }

  /** Ids of the processes that run in the folder or for it. */
  processes(): number[] {
    return processesIn(this.folder).map(({ pid }) => pid);
  }

  /**
   * Ends what is left. Throws what holds for every test: no command is left, no key was charged twice, every history that was not deleted
   * replays, and whoever had something paid has left one.
   */
  async close(): Promise<void> {
    const left = [...this.#running].filter(({ child }) => child.exitCode === null && child.signalCode === null);
    if (this.#membership === undefined) await killAllIn(this.folder);
    await this.simulator.close();
    let replayed: number;
    try {
      replayed = await this.#replay();
    } finally {
      await killAllIn(this.folder);
      await rm(this.folder, { recursive: true, force: true, maxRetries: 5 });
    }
    if (left.length > 0) throw new Error(`${String(left.length)} commands were still running at the end of the test.`);
    const twice = this.doubleCharges();
    if (twice.length > 0) throw new Error(`These were charged more than once: ${twice.join(', ')}`);
    if ((replayed === 0 && this.charges().size > 0) !== this.#isForgotten)
      throw new Error(`${String(replayed)} histories are left of ${String(this.charges().size)} paid requests.`);
  }

  async #replay(): Promise<number> {
    const membership = this.#membership;
    const place = this.#temporal ?? membership;
    if (place === undefined) return replayFolder(this.folder);
    if (place === this.#temporal && this.#isForgotten) return 0;
    const { replayHistoriesAt } = await import('./replay-histories.ts');
    try {
      return await replayHistoriesAt(place);
    } finally {
      await membership?.leave();
    }
  }
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
