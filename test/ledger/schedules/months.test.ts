import { describe, expect, it } from '@jest/globals';
import { MonthUsedUp } from '../../../ledger/errors.ts';
import { formatOccurrence } from '../../../policy/schedules/occurrence.ts';
import { answer, lose, LOST, send, settle } from '../actions.ts';
import { batchOf, close } from '../readings.ts';
import { aBatch, aDub, aKey, aRow, claimAnew, ledger, ledgerForEachTest, upTo } from '../setup.ts';

const DECEMBER = Date.UTC(2026, 11, 1);
const DAY_MS = 86_400_000;
const MONTH = { schedule: 'nightly', timezone: 'UTC', credits: 10 };
const nameAt = (at: number, schedule = 'nightly'): string => formatOccurrence({ schedule, at });
/** The batch of the first of the month, and the request of its row. */
const FIRST = nameAt(DECEMBER);
const KEY = { ...aKey(1), batch: FIRST };

ledgerForEachTest();

interface Firing {
  readonly budget?: number | null;
  readonly schedule?: string;
  readonly timezone?: string;
  readonly cheapest?: number | null;
}

/** Makes the batch of a firing, or of a time of another schedule; returns its budget. */
async function fire(at: number, { budget = null, ...change }: Firing = {}): Promise<number | null | 'used-up'> {
  const name = nameAt(at, change.schedule);
  const batch = { ...aBatch(name), settings: { ...aBatch().settings, budget } };
  try {
    await ledger.createBatch(batch, { ...MONTH, cheapest: 2.5, ...change, at, except: name });
  } catch (error) {
    if (error instanceof MonthUsedUp) return 'used-up';
    throw error;
  }
  return (await batchOf(name)).settings.budget ?? null;
}

/** Loads a row into the first batch, which a lane has then. */
async function loadFirst(row = aRow(1)): Promise<void> {
  const loading = { batch: FIRST, stem: (await batchOf(FIRST)).layout.stem };
  await ledger.addRows(loading, [row]);
  await ledger.openBatch(loading, 1);
  await claimAnew(ledger, { batch: FIRST });
}

const month = (at = DECEMBER): Promise<unknown> => ledger.monthSpend({ ...MONTH, at });

describe('the month of a schedule', () => {
  it('gives each firing what is left, at most its own budget', async () => {
    expect(await fire(DECEMBER, { budget: 4 })).toBe(4);
    expect(await fire(DECEMBER + DAY_MS, { budget: 4 })).toBe(4);
    expect(await fire(DECEMBER + 2 * DAY_MS, { budget: 4, cheapest: 1 })).toBe(2);
    expect(await fire(DECEMBER + 3 * DAY_MS, { budget: 4, cheapest: 1 })).toBe('used-up');
    expect(await ledger.findBatch(nameAt(DECEMBER + 3 * DAY_MS))).toBeUndefined();
    expect(await month()).toEqual({ credits: 10, spent: 0, held: 10, left: 0 });
  });

  it('does not make a batch that cannot pay one row', async () => {
    expect(await fire(DECEMBER, { budget: 8 })).toBe(8);
    expect(await fire(DECEMBER + DAY_MS)).toBe('used-up');
    expect(await fire(DECEMBER + DAY_MS, { cheapest: 2 })).toBe(2);
  });

  it('never gives the same credits to two firings at once', async () => {
    const budgets = await Promise.all(upTo(8).map((day) => fire(DECEMBER + day * DAY_MS, { budget: 3 })));
    expect(budgets.filter((budget) => budget === 3)).toHaveLength(3);
    expect(budgets.filter((budget) => budget === 'used-up')).toHaveLength(5);
  });

  it('counts what is in flight of a batch, and the rest of its budget until it ends', async () => {
    expect(await fire(DECEMBER, { budget: 6 })).toBe(6);
    await loadFirst();
    await send(KEY);
    await ledger.setControl(FIRST, 'stopping');
    expect(await month(DECEMBER + 5 * DAY_MS)).toEqual({ credits: 10, spent: 2.5, held: 3.5, left: 4 });
    await settle(KEY, { verdict: 'unknown', failure: LOST }, { outcome: 'unknown' });
    await close(FIRST);
    expect(await month()).toEqual({ credits: 10, spent: 2.5, held: 0, left: 7.5 });
  });

  it('keeps what a row needs that a late answer would open again, although its batch has ended', async () => {
    expect(await fire(DECEMBER)).toBe(10);
    await loadFirst(aDub(1));
    await lose(KEY, LOST, { outcome: 'unknown' }, { quotedRest: 6 });
    await close(FIRST);
    expect(await month()).toMatchObject({ spent: 8.5, left: 1.5 });
    expect(await fire(DECEMBER + DAY_MS)).toBe('used-up');
    // The answer comes after all.
    await answer(KEY);
    expect(await batchOf(FIRST)).toMatchObject({ state: 'open' });
    expect(await month()).toMatchObject({ spent: 8.5, left: 0 });
  });

  it('begins and ends by the clocks of its timezone', async () => {
    const berlin = { timezone: 'Europe/Berlin', budget: 6 };
    const midnight = Date.parse('2026-11-30T23:00:00Z');
    expect(await fire(midnight - 1_000, berlin)).toBe(6);
    expect(await fire(midnight, berlin)).toBe(6);
    expect(await fire(midnight + 1_000, berlin)).toBe(4);
    expect(await fire(midnight - 2_000, berlin)).toBe(4);
  });

  it('is its own: batches of other schedules and of other names do not count', async () => {
    for (const schedule of ['nightly2', 'nightly.2026-12-01T00-00-00Z'])
      expect(await fire(DECEMBER, { schedule })).toBe(10);
    await ledger.createBatch(aBatch('nightly'));
    expect(await month()).toMatchObject({ held: 0, left: 10 });
  });

  it('has nothing left while one of its batches has no budget', async () => {
    await ledger.createBatch(aBatch(FIRST));
    expect(await fire(DECEMBER + DAY_MS)).toBe('used-up');
    expect(await month()).toMatchObject({ held: null, left: 0 });
  });
});
