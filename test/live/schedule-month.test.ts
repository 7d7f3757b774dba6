/** @slow */
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { LiveWorld, type Running } from '../support/live-world.ts';
import { waitFor } from '../support/wait-for.ts';

/** What `schedule show --json` says. */
interface Shown {
  readonly month: {
    readonly month: string;
    readonly credits: number;
    readonly spent: number;
    readonly left: number;
  } | null;
  readonly occurrences: readonly {
    readonly at: string;
    readonly batch: string;
    readonly state: string;
    readonly cause: string | null;
    readonly reason: string | null;
    readonly charged: number | null;
  }[];
}

const ROWS = 4;

describe('the budget of a month', () => {
  let world: LiveWorld;
  let up: Running;
  /** What one firing costs, in credits. */
  let price: number;

  beforeEach(async () => {
    world = await LiveWorld.create({ seed: 94, createMs: [20, 50], jobMs: [100, 300] });
    await world.prepare(ROWS, ['tts']);
    const { stdout } = await world.run(['plan', 'lines.csv', '--json']);
    price = (JSON.parse(stdout) as { readonly credits: number }).credits;
    up = world.start(['up']);
    await up.said('Working for account');
  });
  afterEach(async () => {
    up.child.kill('SIGTERM');
    expect(await up.ended).toMatchObject({ code: 0 });
    await world.close();
  });

  async function schedule(...words: readonly string[]): Promise<string> {
    // Each firing pays for the same rows: that is what the budget is spent on.
    const flags = words[0] === 'create' ? ['--cache', 'off'] : [];
    const { code, stdout, stderr } = await world.run(['schedule', ...words, ...flags]);
    if (code !== 0) throw new Error(`schedule ${words.join(' ')} ended with ${String(code)}: ${stderr}`);
    return stdout;
  }

  async function show(name: string): Promise<Shown> {
    return JSON.parse(await schedule('show', name, '--json')) as Shown;
  }

  /** Waits until so many occurrences are over; returns them, the oldest first. */
  async function untilOver(name: string, count: number): Promise<Shown['occurrences']> {
    let all: Shown['occurrences'] = [];
    await waitFor(
      async () => {
        all = (await show(name)).occurrences;
        return all.length >= count && all.every(({ state }) => !['running', 'waiting'].includes(state));
      },
      undefined,
      500,
    );
    return all.toReversed();
  }

  it('is spent run by run; the last pays a part, the others are listed with their reason, and the next month begins anew', async () => {
    const credits = String(price * 1.5);
    await schedule(
      'create',
      'nightly',
      'lines.csv',
      '--cron',
      '0 2 * * *',
      '--timezone',
      'Europe/Berlin',
      '--budget-month',
      credits,
    );
    // 2:00 in Berlin, in winter time: on three days of October, and on the first of November.
    await schedule('backfill', 'nightly', '--from', '2026-10-29T00:00Z', '--to', '2026-11-01T12:00Z');
    const [first, second, third, fourth, ...others] = await untilOver('nightly', 4);
    expect(others).toEqual([]);
    expect(first).toMatchObject({ at: '2026-10-29T01:00:00Z', state: 'ended', charged: price });
    expect(second?.charged).toBeGreaterThan(0);
    expect(second?.charged).toBeLessThanOrEqual(price / 2);
    expect(third).toMatchObject({ state: 'skipped', cause: 'month-budget', charged: null });
    expect(third?.reason).toContain(`The budget of ${credits} credits for 2026-10 is used up`);
    expect(fourth).toMatchObject({ at: '2026-11-01T01:00:00Z', state: 'ended', charged: price });
    expect(world.charges(third?.batch).size).toBe(0);
    expect((await world.run(['schedule', 'check', 'nightly', '--since', '1000d'])).code).toBe(10);
    // More for the month: the one that was skipped runs after all.
    await schedule('update', 'nightly', '--budget-month', String(price * 3));
    await schedule('backfill', 'nightly', '--from', '2026-10-31T00:00Z', '--to', '2026-10-31T12:00Z');
    await waitFor(async () => (await show('nightly')).occurrences[1]?.state === 'ended', undefined, 500);
    expect(world.doubleCharges()).toEqual([]);
  });

  it('is kept also by firings that run at the same time', async () => {
    const credits = price * 2;
    await schedule(
      'create',
      'hourly',
      'lines.csv',
      '--every',
      '1h',
      '--overlap',
      'allow',
      '--budget',
      String(price),
      '--budget-month',
      String(credits),
    );
    await schedule(
      'backfill',
      'hourly',
      '--from',
      '2026-10-10T00:00Z',
      '--to',
      '2026-10-10T05:00Z',
      '--overlap',
      'allow',
    );
    const all = await untilOver('hourly', 6);
    const spent = all.reduce((sum, { charged }) => sum + (charged ?? 0), 0);
    expect(spent).toBeLessThanOrEqual(credits);
    expect(all.filter(({ state }) => state === 'ended').length).toBeGreaterThanOrEqual(2);
    expect(all.filter(({ state }) => state !== 'ended').map(({ cause }) => cause)).toEqual(
      all.filter(({ state }) => state !== 'ended').map(() => 'month-budget'),
    );
    expect(world.doubleCharges()).toEqual([]);
  });

  it('is shown for the month of now, also in the list and the preview', async () => {
    await schedule('create', 'nightly', 'lines.csv', '--every', '1d', '--budget-month', '1000');
    const month = { credits: 1000, spent: 0, held: 0, left: 1000 };
    expect((await show('nightly')).month).toMatchObject(month);
    expect(JSON.parse(await schedule('list', '--json'))).toMatchObject([{ month }]);
    expect(JSON.parse(await schedule('preview', 'nightly', '--json'))).toMatchObject({ month });
    expect(await schedule('list')).toContain('1,000 of 1,000 credits');
    expect(await schedule('show', 'nightly')).toMatch(
      /budget of \d{4}-\d\d: 0 of 1,000 credits spent or reserved, 1,000 left/,
    );
    await schedule('update', 'nightly', '--budget-month', 'none');
    expect((await show('nightly')).month).toBeNull();
  });
});
