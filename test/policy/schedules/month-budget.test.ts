import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import {
  monthOf,
  monthRange,
  monthSpendOf,
  shareOfMonth,
  usedUpReason,
  type MonthBatch,
  type MonthSpend,
} from '../../../policy/schedules/month-budget.ts';
import { roundCredits } from '../../../contract/price-units.ts';

const ZONES = ['UTC', 'Europe/Berlin', 'America/New_York', 'Australia/Lord_Howe', 'Pacific/Kiritimati', 'Pacific/Niue'];

describe('the month of a time', () => {
  it.each([
    ['2026-11-30T22:59:59Z', 'Europe/Berlin', '2026-11'],
    ['2026-11-30T23:00:00Z', 'Europe/Berlin', '2026-12'],
    ['2026-11-30T23:00:00Z', 'UTC', '2026-11'],
    ['2026-12-01T04:59:59Z', 'America/New_York', '2026-11'],
    ['2026-12-01T05:00:00Z', 'America/New_York', '2026-12'],
    // Summer time: the month begins an hour earlier in UTC.
    ['2026-06-30T21:59:59Z', 'Europe/Berlin', '2026-06'],
    ['2026-06-30T22:00:00Z', 'Europe/Berlin', '2026-07'],
    ['2026-12-31T10:00:00Z', 'Pacific/Kiritimati', '2027-01'],
    ['2027-01-01T10:59:59Z', 'Pacific/Niue', '2026-12'],
    ['2028-02-29T23:59:59Z', 'UTC', '2028-02'],
    ['2026-01-01T00:00:00Z', 'Australia/Lord_Howe', '2026-01'],
  ])('%s in %s is %s', (at, zone, month) => expect(monthOf(Date.parse(at), zone)).toBe(month));

  it('never goes back, changes 12 times a year, and is at most 15 hours from that of UTC', () => {
    fc.assert(
      fc.property(fc.constantFrom(...ZONES), fc.integer({ min: 0, max: 4_102_444_800 }), (zone, second) => {
        const at = second * 1_000;
        const month = monthOf(at, zone);
        expect(month).toMatch(/^\d{4}-(?:0[1-9]|1[0-2])$/);
        expect(monthOf(at + 86_400_000, zone) >= month).toBe(true);
        const hours15 = 15 * 3_600_000;
        expect([monthOf(at - hours15, 'UTC'), monthOf(at, 'UTC'), monthOf(at + hours15, 'UTC')]).toContain(month);
      }),
    );
  });
});

describe('the range of a month', () => {
  it('has an hour more or less where the clocks change in it', () => {
    const hoursOf = (at: string): number => {
      const { from, until } = monthRange(Date.parse(at), 'Europe/Berlin');
      return (until - from) / 3_600_000;
    };
    expect([hoursOf('2026-03-10T00:00Z'), hoursOf('2026-10-10T00:00Z'), hoursOf('2026-12-10T00:00Z')]).toEqual([
      743, 745, 744,
    ]);
  });

  it('holds the time, and the months follow each other without a gap', () => {
    fc.assert(
      fc.property(fc.constantFrom(...ZONES), fc.integer({ min: 946_684_800, max: 4_102_444_800 }), (zone, second) => {
        const at = second * 1_000;
        const { from, until } = monthRange(at, zone);
        expect(from <= at && at < until).toBe(true);
        expect([monthOf(from, zone), monthOf(until - 1_000, zone)]).toEqual([monthOf(at, zone), monthOf(at, zone)]);
        expect(monthRange(until, zone).from).toBe(until);
        expect(monthRange(from - 1_000, zone).until).toBe(from);
      }),
    );
  });
});

describe('a month', () => {
  const closed = (spent: number, budget: number | null = null): MonthBatch => ({ spent, budget, isClosed: true });
  const open = (spent: number, budget: number | null): MonthBatch => ({ spent, budget, isClosed: false });

  it('has nothing left while a batch without a budget runs, and is never overdrawn', () => {
    expect(monthSpendOf(100, [open(5, null), open(1, 9)])).toEqual({ credits: 100, spent: 6, held: null, left: 0 });
    expect(monthSpendOf(100, [closed(130)])).toMatchObject({ spent: 130, left: 0 });
    expect(monthSpendOf(100, [open(12, 10)])).toMatchObject({ spent: 12, held: 0, left: 88 });
  });

  it('adds fractions without dust', () => {
    expect(monthSpendOf(0.3, [closed(0.1), closed(0.2)])).toMatchObject({ spent: 0.3, left: 0 });
  });
});

describe('the share of a firing', () => {
  const left = (credits: number): MonthSpend => monthSpendOf(credits, []);

  it.each([
    [100, 30, 1, { type: 'share', budget: 30 }],
    [20, 30, 1, { type: 'share', budget: 20 }],
    [20, null, 1, { type: 'share', budget: 20 }],
    [20, null, 20, { type: 'share', budget: 20 }],
    [20, 30, 20.5, { type: 'used-up' }],
    [0, null, null, { type: 'used-up' }],
    [0, 30, 0, { type: 'share', budget: 0 }],
    [0.5, null, null, { type: 'share', budget: 0.5 }],
  ])('of %d left, at most %j, with a cheapest row of %j is %j', (credits, budget, cheapest, share) => {
    expect(shareOfMonth(left(credits), { budget, cheapest })).toEqual(share);
  });

  it('is told with its figures where there is none', () => {
    const batches = [
      { spent: 90, budget: 95, isClosed: true },
      { spent: 2, budget: 8, isClosed: false },
    ];
    expect(usedUpReason(monthSpendOf(100, batches), '2026-12')).toBe(
      'The budget of 100 credits for 2026-12 is used up: 92 spent or reserved, up to 6 more reserved by open batches; the 2 left do not cover even one row.',
    );
    expect(usedUpReason(monthSpendOf(100, [{ spent: 3, budget: null, isClosed: false }]), '2026-12')).toContain(
      'a batch without a budget still runs',
    );
  });
});

/** What happens in a month: a firing, some spending of an open batch within its budget, or the end of one. */
type Step =
  | { readonly type: 'fire'; readonly budget: number | null; readonly cheapest: number }
  | { readonly type: 'spend'; readonly which: number; readonly part: number }
  | { readonly type: 'end'; readonly which: number };

const STEP: fc.Arbitrary<Step> = fc.oneof(
  fc.record({
    type: fc.constant('fire' as const),
    budget: fc.option(fc.integer({ min: 1, max: 400 }).map((n) => n / 10)),
    cheapest: fc.integer({ min: 1, max: 60 }).map((n) => n / 10),
  }),
  fc.record({ type: fc.constant('spend' as const), which: fc.nat(20), part: fc.integer({ min: 0, max: 10 }) }),
  fc.record({ type: fc.constant('end' as const), which: fc.nat(20) }),
);

it('firings in any order never spend more than the month together, whatever runs at the same time', () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 1_000 }), fc.array(STEP, { maxLength: 60 }), (credits, steps) => {
      const batches: { spent: number; budget: number; isClosed: boolean }[] = [];
      for (const step of steps) {
        const standing = monthSpendOf(credits, batches);
        if (step.type === 'fire') {
          const share = shareOfMonth(standing, step);
          if (share.type === 'used-up') continue;
          expect(share.budget).toBeGreaterThanOrEqual(Math.min(step.cheapest, step.budget ?? Infinity));
          batches.push({ spent: 0, budget: share.budget, isClosed: false });
          continue;
        }
        const batch = batches[step.which % Math.max(1, batches.length)];
        if (batch === undefined || batch.isClosed) continue;
        if (step.type === 'end') batch.isClosed = true;
        else batch.spent = roundCredits(batch.spent + ((batch.budget - batch.spent) * step.part) / 10);
        expect(batches.reduce((sum, { spent }) => sum + spent, 0)).toBeLessThanOrEqual(credits + 1e-3);
        const after = monthSpendOf(credits, batches);
        expect(after.left).toBeGreaterThanOrEqual(standing.left - 1e-3);
      }
    }),
  );
});
