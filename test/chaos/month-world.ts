import { randomBytes } from 'node:crypto';
import { mkdir, mkdtemp, readdir, realpath, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { findServer } from '../../embedded/find-server.ts';
import { makeHome } from '../../embedded/home.ts';
import { readServerRecord } from '../../embedded/server-record.ts';
import { atExit } from './at-exit.ts';
import { runCli } from './check-world.ts';
import { Member } from './member.ts';
import { killAllIn, killIn } from './processes-in.ts';
import { SimulatorJudge } from './simulator-judge.ts';

/** Jobs of the simulator are short, so they are looked at often. */
const CONFIG = { polling: { firstLookMs: 300, gapMs: 400 } };

/** A home with `voxbatch up` and a second worker, as somebody keeps it for a schedule; and the service. */
export class MonthWorld {
  readonly folder: string;
  readonly token: string;
  readonly judge: SimulatorJudge;
  readonly up: Member;
  readonly worker: Member;
  readonly #dist: string;
  readonly #env: NodeJS.ProcessEnv;

  private constructor(folder: string, token: string, judge: SimulatorJudge, dist: string, env: NodeJS.ProcessEnv) {
    this.folder = folder;
    this.token = token;
    this.judge = judge;
    this.#dist = dist;
    this.#env = env;
    const member = (name: string): Member =>
      new Member({ name, args: [name], folder, logs: folder, dist, env, isFinal: () => false });
    this.up = member('up');
    this.worker = member('worker');
  }

  static async create(seed: number, dist: string, say: (line: string) => void): Promise<MonthWorld> {
    const folder = await realpath(await mkdtemp(join(tmpdir(), 'voxbatch-chaos-')));
    atExit(() => {
      killIn(folder);
    });
    const token = `chaos-${randomBytes(12).toString('hex')}`;
    const judge = await SimulatorJudge.start(
      { seed, token, createMs: [50, 300], jobMs: [300, 1_500] },
      (port) => `http://127.0.0.1:${port}`,
    );
    const server = await findServer({ env: process.env, say });
    await writeFile(join(folder, 'voxbatch.config.json'), JSON.stringify(CONFIG));
    await mkdir(join(folder, 'manifests'));
    return new MonthWorld(folder, token, judge, dist, {
      ...{ PATH: process.env['PATH'], HOME: process.env['HOME'], VOXBATCH_TEMPORAL_CLI: server.path },
      XDG_STATE_HOME: join(folder, '.state'),
      ...{ VOXBATCH_API_URL: judge.url, VOXBATCH_API_TOKEN: token },
    });
  }

  /** Path of the ledger. */
  get ledger(): string {
    return join(this.folder, '.voxbatch', 'ledger.db');
  }

  get members(): readonly Member[] {
    return [this.up, this.worker];
  }

  /** Runs `voxbatch …` to its end. */
  run(...args: readonly string[]): Promise<{ readonly code: number | null; readonly output: string }> {
    return runCli(this.#dist, args, this.folder, this.#env);
  }

  /** Replaces the manifest of the schedule, whole at any moment, and keeps a copy. */
  async replaceManifest(name: string, content: string): Promise<void> {
    await writeFile(this.manifestOf(name), content);
    await writeFile(join(this.folder, 'lines.part'), content);
    await rename(join(this.folder, 'lines.part'), join(this.folder, 'lines.csv'));
  }

  /** Path of the copy of a manifest. */
  manifestOf(name: string): string {
    return join(this.folder, 'manifests', `${name}.csv`);
  }

  /** Batches that have files. */
  async batches(): Promise<readonly string[]> {
    return (await readdir(join(this.folder, 'out')).catch(() => [])).sort();
  }

  /** SIGKILL of the Temporal server; whoever uses it starts it again. */
  killServer(): void {
    const pid = readServerRecord(makeHome(join(this.folder, '.voxbatch')))?.pid;
    if (pid === undefined) return;
    try {
      process.kill(pid, 'SIGKILL');
    } catch {
      // It had ended, and nobody has started another yet.
    }
  }

  /** Nobody and nothing is left, as in a power cut; the service goes on. */
  async cutPower(): Promise<void> {
    await Promise.all(this.members.map((member) => member.kill()));
    await killAllIn(this.folder);
  }

  start(): void {
    for (const member of this.members) member.start();
  }

  /** Ends what is left; the folder is kept where somebody may want to look into it. */
  async close(keep: boolean): Promise<void> {
    await Promise.all(this.members.map((member) => member.close()));
    await killAllIn(this.folder);
    await this.judge.close();
    if (!keep) await rm(this.folder, { recursive: true, force: true, maxRetries: 5 });
  }
}
