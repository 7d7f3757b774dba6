/** @slow */
import { expect } from '@jest/globals';
import { LiveWorld, type Ended } from '../support/live-world.ts';
import { mixedManifest } from '../support/mixed-manifest.ts';
import { testsAtOnce } from '../support/tests-at-once.ts';
import { waitFor } from '../support/wait-for.ts';

/** Each look is a command, which takes half a second of a core. */
const LOOK_GAP_MS = 3_000;

/** What `schedule check --json` says. */
interface Checked {
  readonly in_order: boolean;
  readonly schedules: readonly {
    readonly schedule: string;
    readonly worker: boolean;
    readonly occurrences: readonly {
      readonly at: string;
      readonly state: string;
      readonly cause: string | null;
      readonly reason: string | null;
      readonly exit_code: number | null;
      readonly amiss: boolean;
    }[];
  }[];
}

/** A {@link LiveWorld} with words for schedules. */
interface Watched {
  readonly world: LiveWorld;
  readonly schedule: (...words: readonly string[]) => Promise<Ended>;
  readonly check: () => Promise<{ readonly code: number | null; readonly said: Checked }>;
  /** Causes of what was skipped so far. */
  readonly causes: () => Promise<ReadonlySet<string | null>>;
}

/** Gives a test a world of its own. */
async function watched(test: (watched: Watched) => Promise<void>): Promise<void> {
  const world = await LiveWorld.create({ seed: 92, createMs: [20, 50], jobMs: [100, 400] });
  const schedule = (...words: readonly string[]): Promise<Ended> => world.run(['schedule', ...words]);
  const check: Watched['check'] = async () => {
    const { code, stdout } = await schedule('check', '--json');
    return { code, said: JSON.parse(stdout) as Checked };
  };
  const causes: Watched['causes'] = async () =>
    new Set((await check()).said.schedules.flatMap(({ occurrences }) => occurrences.map(({ cause }) => cause)));
  try {
    await world.prepare(4, ['tts']);
    await test({ world, schedule, check, causes });
  } finally {
    await world.close();
  }
}

testsAtOnce({
  'schedule check names what was skipped while a batch ran, and while the schedule was paused': () =>
    watched(async ({ world, schedule, check, causes }) => {
      const up = world.start(['up']);
      await up.said('Working for account');
      await world.write('lines.csv', mixedManifest(400, ['tts']));
      expect(await schedule('create', 'often', 'lines.csv', '--every', '5s', '--rate', '1')).toMatchObject({ code: 0 });
      await waitFor(async () => (await causes()).has('overlap'), undefined, LOOK_GAP_MS);
      const pausedAt = Date.now();
      await schedule('pause', 'often', '--note', 'new voices');
      await waitFor(async () => (await causes()).has('paused'), undefined, LOOK_GAP_MS);
      const { code, said } = await check();
      expect(code).toBe(10);
      const occurrences = said.schedules.flatMap((one) => one.occurrences);
      expect(said).toMatchObject({ in_order: false, schedules: [{ schedule: 'often', worker: true }] });
      const [running, ...skipped] = occurrences.toReversed();
      expect(running).toMatchObject({ state: 'running', amiss: false });
      expect(skipped.every(({ state, amiss }) => state === 'skipped' && amiss)).toBe(true);
      expect(skipped.at(-1)?.reason).toContain('new voices');
      // The pause is no reason for what was due before it.
      const before = skipped.filter(({ at }) => Date.parse(at) < pausedAt);
      expect(before.map(({ cause }) => cause)).toEqual(before.map(() => 'overlap'));
      // None is left out: they follow each other as they were due.
      const times = occurrences.map(({ at }) => Date.parse(at)).toReversed();
      expect(times).toEqual(times.map((_, index) => (times[0] ?? 0) + index * 5_000));
      expect((await schedule('show', 'often')).stdout).toContain('skipped (overlap)');
      up.child.kill('SIGTERM');
      await up.ended;
    }),

  'schedule check names what nobody was there to fire, and why one made no batch; a fine one ends with 0': () =>
    watched(async ({ world, schedule, check }) => {
      expect(await schedule('create', 'often', 'lines.csv', '--every', '10s', '--catch-up', '10s')).toMatchObject({
        code: 0,
      });
      const made = Date.now();
      await waitFor(() => Date.now() > made + 25_000);
      const { code, said } = await check();
      expect(code).toBe(10);
      expect(said.schedules).toMatchObject([{ schedule: 'often', worker: false }]);
      const missed = said.schedules[0]?.occurrences.filter(({ cause }) => cause === 'missed') ?? [];
      expect(missed.length).toBeGreaterThan(0);
      expect(missed.every(({ amiss }) => amiss)).toBe(true);
      await schedule('delete', 'often');
      // The server's list of schedules follows in a moment.
      await waitFor(async () => (await check()).said.schedules.length === 0, undefined, LOOK_GAP_MS);
      expect((await check()).said).toEqual({ in_order: true, schedules: [] });

      const up = world.start(['up']);
      await up.said('Working for account');
      await schedule('create', 'nightly', 'lines.csv', '--calendar', 'year=2099');
      await schedule('trigger', 'nightly');
      await waitFor(
        async () => (await check()).said.schedules[0]?.occurrences[0]?.state === 'ended',
        undefined,
        LOOK_GAP_MS,
      );
      expect(await schedule('check', 'nightly', '--since', '7d')).toMatchObject({ code: 0 });
      await world.write('lines.csv', 'id,kind,text,voice\nr1,tts,,narrator\n');
      await schedule('trigger', 'nightly');
      await waitFor(async () => (await check()).code === 10, undefined, LOOK_GAP_MS);
      const bad = await schedule('check', 'nightly');
      expect(bad.code).toBe(10);
      expect(bad.stdout).toContain('AMISS');
      expect(bad.stdout).toContain('line 2');
      expect(await schedule('check', 'weekly')).toMatchObject({ code: 2 });
      expect(world.doubleCharges()).toEqual([]);
      up.child.kill('SIGTERM');
      await up.ended;
    }),
});
