import { randomBytes } from 'node:crypto';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { SimulatorOptions } from '../../simulator/start-simulator.ts';
import { encodeSilence } from '../../simulator/media/encode-wav.ts';
import { mixedManifest, SAMPLE } from '../support/mixed-manifest.ts';
import { ClusterServer } from './cluster-server.ts';
import { COMPLETE, Member } from './member.ts';
import { makeFolder } from './in-folder.ts';
import { SimulatorJudge } from './simulator-judge.ts';
import { findToxiproxy, Toxiproxy } from './toxiproxy.ts';

/** The links that faults are put on. */
export type Link = 'api' | 'media' | 'worker-1' | 'worker-2' | 'cli';

/** A batch of a run. */
export interface ChaosBatch {
  readonly name: string;
  readonly rows: number;
  readonly kinds: readonly string[];
  /** Flags of `voxbatch run` beside the manifest. */
  readonly flags: readonly string[];
}

export interface WorldOptions {
  /** Folder of the compiled voxbatch. */
  readonly dist: string;
  readonly simulator: SimulatorOptions;
  readonly batches: readonly ChaosBatch[];
  /** Paid requests of a batch on the wire at once. */
  readonly submits: number;
  readonly say: (line: string) => void;
}

/** Jobs of the simulator are short, so they are looked at often; one that is stuck is given up soon. */
const CONFIG = { polling: { firstLookMs: 300, gapMs: 400, jobDeadlineMinutes: 1.5 } };

/**
 * A cluster on this machine: a Temporal server, two workers and one `voxbatch run` per batch, with a ledger and a store that
 * they share; the simulator; and a proxy on every link between them. Nothing runs until {@link World.begin}.
 */
export class World {
  readonly folder: string;
  readonly token: string;
  readonly options: WorldOptions;
  readonly judge: SimulatorJudge;
  readonly proxy: Toxiproxy;
  readonly temporal: ClusterServer;
  readonly workers: readonly [Member, Member];
  /** By batch. */
  readonly runs: ReadonlyMap<string, Member>;

  private constructor(
    folder: string,
    options: WorldOptions,
    parts: { readonly judge: SimulatorJudge; readonly proxy: Toxiproxy; readonly temporal: ClusterServer },
    ports: Readonly<Record<'api' | 'worker-1' | 'worker-2' | 'cli', number>>,
    token: string,
  ) {
    this.folder = folder;
    this.options = options;
    this.token = token;
    this.judge = parts.judge;
    this.proxy = parts.proxy;
    this.temporal = parts.temporal;
    const member = (name: string, args: readonly string[], port: number, isFinal: (code: number) => boolean): Member =>
      new Member({ name, args, folder, logs: folder, dist: options.dist, isFinal, env: this.#env(ports.api, port) });
    const never = (): boolean => false;
    this.workers = [
      member('worker-1', ['worker'], ports['worker-1'], never),
      member('worker-2', ['worker'], ports['worker-2'], never),
    ];
    this.runs = new Map(
      options.batches.map(({ name, flags }) => {
        const args = ['run', `${name}.csv`, '--submits', String(options.submits), ...flags];
        return [name, member(`run-${name}`, args, ports.cli, (code) => COMPLETE.includes(code))];
      }),
    );
  }

  static async create(options: WorldOptions): Promise<World> {
    const folder = await makeFolder();
    const token = `chaos-${randomBytes(12).toString('hex')}`;
    const [proxy, temporal] = await Promise.all([
      findToxiproxy(options.say).then((binary) => Toxiproxy.start(binary)),
      ClusterServer.start(join(folder, 'cluster'), options.say),
    ]);
    const origin = (port: number): string => `http://127.0.0.1:${port}`;
    const judge = await SimulatorJudge.start({ ...options.simulator, token }, async (port) =>
      origin(await proxy.link('media', `127.0.0.1:${port}`)),
    );
    const server = `127.0.0.1:${temporal.port}`;
    const ports = {
      api: await proxy.link('api', new URL(judge.url).host),
      'worker-1': await proxy.link('worker-1', server),
      'worker-2': await proxy.link('worker-2', server),
      cli: await proxy.link('cli', server),
    };
    await writeFile(join(folder, 'voxbatch.config.json'), JSON.stringify(CONFIG));
    await writeFile(join(folder, SAMPLE), encodeSilence(1));
    for (const { name, rows, kinds } of options.batches) {
      await writeFile(join(folder, `${name}.csv`), mixedManifest(rows, kinds));
    }
    await mkdir(join(folder, 'store'));
    return new World(folder, options, { judge, proxy, temporal }, ports, token);
  }

  path(...parts: string[]): string {
    return join(this.folder, ...parts);
  }

  /** Path of the shared ledger. */
  get ledger(): string {
    return this.path('ledger.db');
  }

  /** All commands. */
  get members(): readonly Member[] {
    return [...this.workers, ...this.runs.values()];
  }

  begin(): void {
    for (const member of this.members) member.start();
  }

  /** True when every batch is complete, by the word of its `run`. */
  get isComplete(): boolean {
    return [...this.runs.values()].every(({ finalCode }) => finalCode !== undefined);
  }

  /** Ends what is left; the folder is kept where somebody may want to look into it. */
  async close(keep: boolean): Promise<void> {
    await Promise.all(this.members.map((member) => member.close()));
    await Promise.all([this.temporal.kill(), this.judge.close(), this.proxy.close()]);
    if (!keep) await rm(this.folder, { recursive: true, force: true, maxRetries: 5 });
  }

  #env(apiPort: number, temporalPort: number): NodeJS.ProcessEnv {
    const api = new URL(this.judge.url);
    api.port = String(apiPort);
    return {
      PATH: process.env['PATH'],
      HOME: process.env['HOME'],
      TEMPORAL_ADDRESS: `127.0.0.1:${temporalPort}`,
      VOXBATCH_API_URL: api.href,
      VOXBATCH_API_TOKEN: this.token,
      VOXBATCH_LEDGER: this.ledger,
      VOXBATCH_STORE: this.path('store'),
    };
  }
}
