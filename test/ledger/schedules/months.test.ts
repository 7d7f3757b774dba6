import { describe, expect, it } from '@jest/globals';
import type { Ledger } from '../../../ledger/ledger.ts';
import { MonthUsedUp } from '../../../ledger/errors.ts';
import { formatOccurrence } from '../../../policy/schedules/occurrence.ts';
import { aBatch, aRow, INTENT, ledgerForEachTest } from '../setup.ts';

const DECEMBER = Date.UTC(2026, 11, 1);
const DAY_MS = 86_400_000;
const MONTH = { schedule: 'nightly', timezone: 'UTC', credits: 10 };

let ledger: Ledger;
ledgerForEachTest((made) => {
  ledger = made;
});

/** Makes the batch of a firing, or of a time of another schedule; returns its budget. */
async function fire(
  at: number,
  { budget = null, credits = 10, schedule = 'nightly', timezone = 'UTC', cheapest = 2.5 }: Wish = {},
): Promise<number | null | 'used-up'> {
  const name = formatOccurrence({ schedule, at });
  const batch = { ...aBatch(name), settings: { ...aBatch().settings, budget } };
  try {
    await ledger.createBatch(batch, { schedule, timezone, credits, at, cheapest, except: name });
  } catch (error) {
    if (error instanceof MonthUsedUp) return 'used-up';
    throw error;
  }
  return (await ledger.findBatch(name))?.settings.budget ?? null;
}

interface Wish {
  readonly budget?: number | null;
  readonly credits?: number;
  readonly schedule?: string;
  readonly timezone?: string;
  readonly cheapest?: number | null;
}

/** Loads a row of 2.5 credits, pays for it, and ends the batch. */
async function payAndClose(at: number): Promise<void> {
  const name = formatOccurrence({ schedule: 'nightly', at });
  await ledger.addRows(name, [aRow(1)]);
  await ledger.openBatch(name, 1);
  const key = { batch: name, row: 1, step: 'speech', take: 1, attempt: 1 } as const;
  const lease = await ledger.acquireLane({ batch: name, lane: 1, run: 'run', owner: 'w1' });
  await ledger.claimRows({ ...lease, limit: 1 });
  expect(await ledger.intend(key, INTENT)).toMatchObject({ type: 'go' });
  await ledger.setControl(name, 'stopping');
}

describe('the month of a schedule', () => {
  it('gives each firing what is left, at most its own budget', async () => {
    expect(await fire(DECEMBER, { budget: 4 })).toBe(4);
    expect(await fire(DECEMBER + DAY_MS, { budget: 4 })).toBe(4);
    expect(await fire(DECEMBER + 2 * DAY_MS, { budget: 4, cheapest: 1 })).toBe(2);
    expect(await fire(DECEMBER + 3 * DAY_MS, { budget: 4, cheapest: 1 })).toBe('used-up');
    expect(
      await ledger.findBatch(formatOccurrence({ schedule: 'nightly', at: DECEMBER + 3 * DAY_MS })),
    ).toBeUndefined();
    expect(await ledger.monthSpend({ ...MONTH, at: DECEMBER })).toEqual({ credits: 10, spent: 0, held: 10, left: 0 });
  });

  it('does not make a batch that cannot pay one row', async () => {
    expect(await fire(DECEMBER, { budget: 8 })).toBe(8);
    expect(await fire(DECEMBER + DAY_MS)).toBe('used-up');
    expect(await fire(DECEMBER + DAY_MS, { cheapest: 2 })).toBe(2);
  });

  it('never gives the same credits to two firings at once', async () => {
    const days = Array.from({ length: 8 }, (_, day) => DECEMBER + day * DAY_MS);
    const budgets = await Promise.all(days.map((at) => fire(at, { budget: 3 })));
    expect(budgets.filter((budget) => budget === 3)).toHaveLength(3);
    expect(budgets.filter((budget) => budget === 'used-up')).toHaveLength(5);
  });

  it('counts what is in flight of a batch, and the rest of its budget until it ends', async () => {
    expect(await fire(DECEMBER, { budget: 6 })).toBe(6);
    await payAndClose(DECEMBER);
    expect(await ledger.monthSpend({ ...MONTH, at: DECEMBER + 5 * DAY_MS })).toEqual({
      credits: 10,
      spent: 2.5,
      held: 3.5,
      left: 4,
    });
    const name = formatOccurrence({ schedule: 'nightly', at: DECEMBER });
    const key = { batch: name, row: 1, step: 'speech', take: 1, attempt: 1 } as const;
    await ledger.settle(
      key,
      { verdict: 'unknown', failure: { class: 'OutcomeUnknown', message: 'No answer.' } },
      { outcome: 'unknown' },
    );
    await ledger.closeBatch(name);
    expect(await ledger.monthSpend({ ...MONTH, at: DECEMBER })).toEqual({
      credits: 10,
      spent: 2.5,
      held: 0,
      left: 7.5,
    });
  });

  it('keeps what a row needs that a late answer would open again, although its batch has ended', async () => {
    expect(await fire(DECEMBER)).toBe(10);
    const name = formatOccurrence({ schedule: 'nightly', at: DECEMBER });
    await ledger.addRows(name, [
      { ...aRow(1), spec: { kind: 'dub', text: 'Row 1', voice: 'v', video: 'http://h/v.mp4', extra: {} } },
    ]);
    await ledger.openBatch(name, 1);
    const key = { batch: name, row: 1, step: 'speech', take: 1, attempt: 1 } as const;
    const lease = await ledger.acquireLane({ batch: name, lane: 1, run: 'run', owner: 'w1' });
    await ledger.claimRows({ ...lease, limit: 1 });
    expect(await ledger.intend(key, { ...INTENT, quotedRest: 6 })).toMatchObject({ type: 'go' });
    const lost = { class: 'OutcomeUnknown', message: 'No answer.' } as const;
    await ledger.settle(key, { verdict: 'unknown', failure: lost }, { outcome: 'unknown', failure: lost });
    expect(await ledger.closeBatch(name)).toBe(0);
    expect(await ledger.monthSpend({ ...MONTH, at: DECEMBER })).toMatchObject({ spent: 8.5, left: 1.5 });
    expect(await fire(DECEMBER + DAY_MS)).toBe('used-up');
    // The answer comes after all.
    await ledger.settle(key, { verdict: 'accepted', jobId: 'job-1' }, { state: 'processing' });
    expect(await ledger.findBatch(name)).toMatchObject({ state: 'open' });
    expect(await ledger.monthSpend({ ...MONTH, at: DECEMBER })).toMatchObject({ spent: 8.5, left: 0 });
  });

  it('begins and ends by the clocks of its timezone', async () => {
    const berlin = { timezone: 'Europe/Berlin' };
    const midnight = Date.parse('2026-11-30T23:00:00Z');
    expect(await fire(midnight - 1_000, { ...berlin, budget: 6 })).toBe(6);
    expect(await fire(midnight, { ...berlin, budget: 6 })).toBe(6);
    expect(await fire(midnight + 1_000, { ...berlin, budget: 6 })).toBe(4);
    expect(await fire(midnight - 2_000, { ...berlin, budget: 6 })).toBe(4);
  });

  it('is its own: batches of other schedules and of other names do not count', async () => {
    expect(await fire(DECEMBER, { schedule: 'nightly2' })).toBe(10);
    expect(await fire(DECEMBER, { schedule: 'nightly.2026-12-01T00-00-00Z' })).toBe(10);
    await ledger.createBatch(aBatch('nightly'));
    expect(await ledger.monthSpend({ ...MONTH, at: DECEMBER })).toMatchObject({ held: 0, left: 10 });
  });

  it('has nothing left while one of its batches has no budget', async () => {
    await ledger.createBatch(aBatch(formatOccurrence({ schedule: 'nightly', at: DECEMBER })));
    expect(await fire(DECEMBER + DAY_MS)).toBe('used-up');
    expect(await ledger.monthSpend({ ...MONTH, at: DECEMBER })).toMatchObject({ held: null, left: 0 });
  });
});
