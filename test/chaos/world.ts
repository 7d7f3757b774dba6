import { randomBytes } from 'node:crypto';
import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { SimulatorOptions } from '../../simulator/start-simulator.ts';
import { encodeSilence } from '../../simulator/media/encode-wav.ts';
import { mixedManifest, SAMPLE } from '../support/mixed-manifest.ts';
import { ClusterServer } from './cluster-server.ts';
import { COMPLETE, Member } from './member.ts';
import { makeFolder } from './in-folder.ts';
import { SimulatorJudge } from './simulator-judge.ts';
import { findToxiproxy, Toxiproxy } from './toxiproxy.ts';
import type { Who } from './who.ts';
import { openLedger, type LedgerKind, type WorldLedger } from './world-ledger.ts';
import { openStore, type StoreKind, type WorldStore } from './world-store.ts';

/** The links that faults are put on; those that only say who are to Temporal. */
export type Link = 'api' | 'media' | Who | `ledger-${Who}` | 'store';

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
  readonly ledger: LedgerKind;
  readonly store: StoreKind;
  readonly say: (line: string) => void;
}

/** Jobs of the simulator are short, so they are looked at often; one that is stuck is given up soon. */
const CONFIG = { polling: { firstLookMs: 300, gapMs: 400, jobDeadlineMinutes: 1.5 } };

/** What a world rests on. */
interface Parts {
  readonly judge: SimulatorJudge;
  readonly proxy: Toxiproxy;
  readonly temporal: ClusterServer;
  readonly ledger: WorldLedger;
  readonly store: WorldStore;
}

/**
 * A cluster on this machine: a Temporal server, two workers and one `voxbatch run` per batch, with a ledger and a store that
 * they share; the simulator; and a proxy on every link between them. Nothing runs until {@link World.begin}.
 */
export class World implements Parts {
  readonly folder: string;
  readonly token: string;
  readonly options: WorldOptions;
  readonly judge: SimulatorJudge;
  readonly proxy: Toxiproxy;
  readonly temporal: ClusterServer;
  readonly ledger: WorldLedger;
  readonly store: WorldStore;
  readonly workers: readonly [Member, Member];
  /** By batch. */
  readonly runs: ReadonlyMap<string, Member>;

  private constructor(
    folder: string,
    options: WorldOptions,
    parts: Parts,
    ports: Readonly<Record<'api' | Who, number>>,
    token: string,
  ) {
    this.folder = folder;
    this.options = options;
    this.token = token;
    this.judge = parts.judge;
    this.proxy = parts.proxy;
    this.temporal = parts.temporal;
    this.ledger = parts.ledger;
    this.store = parts.store;
    const member = (name: string, args: readonly string[], who: Who, isFinal: (code: number) => boolean): Member => {
      const env = this.#env(ports.api, ports[who], who);
      return new Member({ name, args, folder, logs: folder, dist: options.dist, isFinal, env });
    };
    const never = (): boolean => false;
    this.workers = [
      member('worker-1', ['worker'], 'worker-1', never),
      member('worker-2', ['worker'], 'worker-2', never),
    ];
    this.runs = new Map(
      options.batches.map(({ name, flags }) => {
        const args = ['run', `${name}.csv`, '--submits', String(options.submits), ...flags];
        return [name, member(`run-${name}`, args, 'cli', (code) => COMPLETE.includes(code))];
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
    const ledger = await openLedger(options.ledger, folder, proxy);
    const store = await openStore(options.store, folder, proxy);
    const api = await proxy.link('api', new URL(judge.url).host);
    const linkOf = (who: Who): Promise<number> => proxy.link(who, `127.0.0.1:${temporal.port}`);
    const ports = {
      api,
      'worker-1': await linkOf('worker-1'),
      'worker-2': await linkOf('worker-2'),
      cli: await linkOf('cli'),
    };
    await writeFile(join(folder, 'voxbatch.config.json'), JSON.stringify(CONFIG));
    await writeFile(join(folder, SAMPLE), encodeSilence(1));
    for (const { name, rows, kinds } of options.batches) {
      await writeFile(join(folder, `${name}.csv`), mixedManifest(rows, kinds));
    }
    return new World(folder, options, { judge, proxy, temporal, ledger, store }, ports, token);
  }

  path(...parts: string[]): string {
    return join(this.folder, ...parts);
  }

  /** All commands. */
  get members(): readonly Member[] {
    return [...this.workers, ...this.runs.values()];
  }

  /** Every folder with files of it. */
  get folders(): readonly string[] {
    return [this.folder, this.ledger.folder, this.store.folder].filter((folder) => folder !== undefined);
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
    await Promise.all([this.ledger.close(keep), this.store.close(keep)]);
    if (!keep) await rm(this.folder, { recursive: true, force: true, maxRetries: 5 });
  }

  #env(apiPort: number, temporalPort: number, who: Who): NodeJS.ProcessEnv {
    const api = new URL(this.judge.url);
    api.port = String(apiPort);
    return {
      PATH: process.env['PATH'],
      HOME: process.env['HOME'],
      TEMPORAL_ADDRESS: `127.0.0.1:${temporalPort}`,
      VOXBATCH_API_URL: api.href,
      VOXBATCH_API_TOKEN: this.token,
      VOXBATCH_LEDGER: this.ledger.addressFor(who),
      ...this.store.env,
    };
  }
}
