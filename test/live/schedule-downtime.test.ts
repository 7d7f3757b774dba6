/** @slow */
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { LiveWorld, type Ended, type Running } from '../support/live-world.ts';
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

/** A matcher with a type. */
const saying = (text: string): unknown => expect.stringContaining(text);

describe('a schedule of every 10 s', () => {
  let world: LiveWorld;

  beforeEach(async () => {
    world = await LiveWorld.create({ seed: 93, createMs: [20, 50], jobMs: [100, 300] });
    await world.prepare(ROWS, ['tts']);
  });
  afterEach(async () => {
    await world.close();
  });

  async function startUp(command = 'up'): Promise<Running> {
    const up = world.start([command]);
    await up.said('Working for account');
    return up;
  }

  async function stop(...running: readonly Running[]): Promise<void> {
    for (const { child } of running) child.kill('SIGTERM');
    for (const { ended } of running) expect(await ended).toMatchObject({ code: 0 });
  }

  /** Makes a schedule that fires so many times, or fewer where the command takes long; returns when, ms. */
  async function create(count: number, ...flags: readonly string[]): Promise<readonly number[]> {
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
    const { stdout, stderr } = await world.run(create);
    if (stdout === '') throw new Error(`create said: ${stderr}`);
    const { next } = JSON.parse(stdout) as { readonly next: readonly string[] };
    expect(next.length).toBeGreaterThanOrEqual(3);
    return next.map((at) => Date.parse(at));
  }

  async function occurrences(): Promise<readonly Occurrence[]> {
    const { stdout, stderr } = await world.run(['schedule', 'check', '--json']);
    if (stdout === '') throw new Error(`check said: ${stderr}`);
    const { schedules } = JSON.parse(stdout) as { readonly schedules: readonly { occurrences: Occurrence[] }[] };
    return schedules.flatMap((one) => one.occurrences).toReversed();
  }

  /** Waits until all is over; expects that each of these times had its batch, whole and paid once. */
  async function expectEachOnce(times: readonly number[]): Promise<void> {
    const last = times.at(-1) ?? 0;
    await waitFor(
      async () => {
        const all = await occurrences();
        return Date.parse(all.at(-1)?.at ?? '') >= last && all.every(({ state }) => /ended|failed|skipped/.test(state));
      },
      undefined,
      500,
    );
    const all = await occurrences();
    expect(all.map(({ at }) => Date.parse(at))).toEqual(times);
    expect(all.filter(({ state }) => state !== 'ended')).toEqual([]);
    expect(all.filter(({ exit_code: code }) => code !== 0 && code !== 13)).toEqual([]);
    for (const { batch } of all) expect((await world.results(batch)).size).toBe(ROWS);
    const { stdout } = await world.run(['list', '--json']);
    const names = (JSON.parse(stdout) as readonly { readonly batch: string }[]).map(({ batch }) => batch);
    expect(names.toSorted()).toEqual(all.map(({ batch }) => batch).toSorted());
    expect(world.doubleCharges()).toEqual([]);
  }

  async function until(at: number): Promise<void> {
    await waitFor(() => Date.now() >= at);
  }

  /** Kills the server, and waits until `up` has brought it back. */
  async function killServer(): Promise<void> {
    const killed = await world.server();
    if (killed === undefined) throw new Error('there is no server to kill');
    process.kill(killed.pid, 'SIGKILL');
    await waitFor(async () => {
      const server = await world.server();
      return server?.clusterId !== undefined && server.pid !== killed.pid;
    });
  }

  it('fires what it missed while server and up were dead, each once, and says that nobody is there', async () => {
    const up = await startUp();
    const times = await create(5, '--overlap', 'buffer-all');
    await until((times[0] ?? 0) + 1_000);
    up.child.kill('SIGKILL');
    await up.ended;
    const server = await world.server();
    if (server !== undefined) process.kill(server.pid, 'SIGKILL');
    await world.untilAlone();
    // Three due times later, if it was made in time.
    await until((times.at(-2) ?? 0) + 1_000);
    const list: Ended = await world.run(['schedule', 'list']);
    const nobody = saying('Nobody is there to fire "often": neither a server nor a worker runs here.');
    expect(list).toMatchObject({ code: 0, stderr: nobody });
    expect(await world.run(['schedule', 'show', 'often'])).toMatchObject({ code: 0, stdout: nobody });
    const again = await startUp();
    expect((await world.run(['schedule', 'list'])).stderr).toBe('');
    await expectEachOnce(times);
    await stop(again);
  });

  it('whose server is killed at the moment of firing makes one batch for each time', async () => {
    const up = await startUp();
    const times = await create(5, '--overlap', 'buffer-all');
    for (const [index, time] of times.slice(0, -2).entries()) {
      // At the moment itself, and when the firing has begun and its rows are being paid.
      const charged = world.charges().size;
      if (index % 2 === 0) await until(time);
      else await world.untilCharged(charged + 1);
      await killServer();
    }
    await expectEachOnce(times);
    await stop(up);
  });

  it('with two workers, of which one is killed, makes one batch for each time', async () => {
    const [up, other] = [await startUp(), await startUp('worker')];
    const times = await create(4, '--overlap', 'allow');
    await until(times[1] ?? 0);
    await world.untilCharged(world.charges().size + 1);
    other.child.kill('SIGKILL');
    await other.ended;
    await until(times[2] ?? 0);
    const third = await startUp('worker');
    await expectEachOnce(times);
    await stop(up, third);
  });
});
