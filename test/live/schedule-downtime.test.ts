/** @slow */
import { expect } from '@jest/globals';
import { openLedger } from '../../ledger/open-ledger.ts';
import { LiveWorld, type Running } from '../support/live-world.ts';
import { testsAtOnce } from '../support/tests-at-once.ts';
import { waitFor } from '../support/wait-for.ts';

const ROWS = 3;
const EVERY_MS = 10_000;

/** What `schedule check --json` says of an occurrence. */
interface Occurrence {
  readonly at: string;
  readonly batch: string;
  readonly state: string;
  readonly exit_code: number | null;
}

/** A schedule of every 10 s in a world of its own. */
class Downtime {
  readonly world: LiveWorld;

  private constructor(world: LiveWorld) {
    this.world = world;
  }

  /** Gives a test a world of its own. */
  static async play(test: (here: Downtime) => Promise<void>): Promise<void> {
    const world = await LiveWorld.create({ seed: 93, createMs: [20, 50], jobMs: [100, 300] });
    try {
      await world.prepare(ROWS, ['tts']);
      await test(new Downtime(world));
    } finally {
      await world.close();
    }
  }

  async startUp(command = 'up'): Promise<Running> {
    const up = this.world.start([command]);
    await up.said('Working for account');
    return up;
  }

  async stop(...running: readonly Running[]): Promise<void> {
    for (const { child } of running) child.kill('SIGTERM');
    for (const { ended } of running) expect(await ended).toMatchObject({ code: 0 });
  }

  /** Makes a schedule that fires so many times, or fewer where the command takes long; returns when, ms. */
  async create(count: number, ...flags: readonly string[]): Promise<readonly number[]> {
    const last = (Math.floor(Date.now() / EVERY_MS) + 1 + count) * EVERY_MS;
    const every = ['--every', `${String(EVERY_MS / 1_000)}s`, '--until', new Date(last + EVERY_MS / 2).toISOString()];
    const create = [
      'schedule',
      'create',
      'often',
      'lines.csv',
      '--json',
      ...every,
      '--catch-up',
      '1d',
      '--cache',
      'off',
      ...flags,
    ];
    const { stdout, stderr } = await this.world.run(create);
    if (stdout === '') throw new Error(`create said: ${stderr}`);
    const { next } = JSON.parse(stdout) as { readonly next: readonly string[] };
    expect(next.length).toBeGreaterThanOrEqual(3);
    return next.map((at) => Date.parse(at));
  }

  async occurrences(): Promise<readonly Occurrence[]> {
    const { stdout, stderr } = await this.world.run(['schedule', 'check', '--json']);
    if (stdout === '') throw new Error(`check said: ${stderr}`);
    const { schedules } = JSON.parse(stdout) as { readonly schedules: readonly { occurrences: Occurrence[] }[] };
    return schedules.flatMap((one) => one.occurrences).toReversed();
  }

  /** Waits until all is over; expects that each of these times had its batch, whole and paid once. */
  async expectEachOnce(times: readonly number[]): Promise<void> {
    await this.untilRecorded(times);
    const all = await this.occurrences();
    expect(all.map(({ at }) => Date.parse(at))).toEqual(times);
    expect(all.filter(({ state }) => state !== 'ended')).toEqual([]);
    expect(all.filter(({ exit_code: code }) => code !== 0 && code !== 13)).toEqual([]);
    for (const { batch } of all) expect((await this.world.results(batch)).size).toBe(ROWS);
    const { stdout } = await this.world.run(['list', '--json']);
    const names = (JSON.parse(stdout) as readonly { readonly batch: string }[]).map(({ batch }) => batch);
    expect(names.toSorted()).toEqual(all.map(({ batch }) => batch).toSorted());
    expect(this.world.doubleCharges()).toEqual([]);
  }

  /** Waits until the end of each of these times is on record. It is read in this process: each command would take half a second of a core. */
  async untilRecorded(times: readonly number[]): Promise<void> {
    const ledger = await openLedger(this.world.path('.voxbatch', 'ledger.db'));
    try {
      await waitFor(async () => {
        const all = await ledger.occurrencesOf('often', {});
        const over = new Set(all.filter(({ state }) => state !== 'running').map(({ at }) => at));
        return times.every((at) => over.has(at));
      });
    } finally {
      await ledger.close();
    }
  }

  /** Kills the server, and waits until `up` has brought it back. */
  async killServer(): Promise<void> {
    const killed = await this.world.server();
    if (killed === undefined) throw new Error('there is no server to kill');
    process.kill(killed.pid, 'SIGKILL');
    await waitFor(async () => {
      const server = await this.world.server();
      return server?.clusterId !== undefined && server.pid !== killed.pid;
    });
  }
}

async function until(at: number): Promise<void> {
  await waitFor(() => Date.now() >= at);
}

testsAtOnce({
  'a schedule whose server is killed at the moment of firing makes one batch for each time': () =>
    Downtime.play(async (here) => {
      const { world } = here;
      const up = await here.startUp();
      const times = await here.create(5, '--overlap', 'buffer-all');
      for (const [index, time] of times.slice(0, -2).entries()) {
        // At the moment itself, and when the firing has begun and its rows are being paid.
        const charged = world.charges().size;
        if (index % 2 === 0) await until(time);
        else await world.untilCharged(charged + 1);
        await here.killServer();
      }
      await here.expectEachOnce(times);
      await here.stop(up);
    }),

  'a schedule with two workers, of which one is killed, makes one batch for each time': () =>
    Downtime.play(async (here) => {
      const { world } = here;
      const [up, other] = [await here.startUp(), await here.startUp('worker')];
      const times = await here.create(4, '--overlap', 'allow');
      await until(times[1] ?? 0);
      await world.untilCharged(world.charges().size + 1);
      other.child.kill('SIGKILL');
      await other.ended;
      await until(times[2] ?? 0);
      const third = await here.startUp('worker');
      await here.expectEachOnce(times);
      await here.stop(up, third);
    }),
});
