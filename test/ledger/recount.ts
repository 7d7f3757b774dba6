import { expect } from '@jest/globals';
import type { Ledger } from '../../ledger/ledger.ts';
import type { ChargeLine, RowLine } from '../../ledger/schema.ts';
import { inside } from './inside.ts';

/** Classes of failures that are none. */
const NO_FAILURES: readonly (string | null)[] = [null, 'OverBudget', 'NotChosen', 'NotCached'];

/** Compares what the ledger keeps of a batch with all its rows and charges, counted again. */
export async function expectKept(ledger: Ledger, batch: string): Promise<void> {
  const { rows, charges, reopenedAt, sums, recent } = await inside(ledger, async (db) => ({
    rows: await db.selectFrom('rows').selectAll().where('batch', '=', batch).execute(),
    charges: await db.selectFrom('charges').selectAll().where('batch', '=', batch).execute(),
    reopenedAt:
      (await db.selectFrom('batches').select('reopened_at').where('name', '=', batch).executeTakeFirstOrThrow())
        .reopened_at ?? 0,
    sums: await db.selectFrom('sums').selectAll().where('batch', '=', batch).executeTakeFirstOrThrow(),
    recent: await db.selectFrom('row_counts').select(['standing', 'recent']).where('batch', '=', batch).execute(),
  }));
  const whole = rows.filter(({ part_of }) => part_of === null);
  const { states, outcomes, total, notChosen } = await ledger.counts(batch);
  expect(withoutZeros({ ...states, ...outcomes })).toEqual(countBy(whole, ({ outcome, state }) => outcome ?? state));
  expect(total).toBe(whole.length);
  expect(notChosen).toBe(whole.filter((row) => row.failure_class === 'NotChosen').length);
  const reasons = await ledger.commonReasons(batch, 99);
  expect(Object.fromEntries(reasons.map((one) => [`${one.class} ${one.cause}`, one.open + one.ended]))).toEqual(
    countBy(
      whole.filter((row) => !NO_FAILURES.includes(row.failure_class)),
      (row) => `${row.failure_class ?? ''} ${row.failure_cause ?? ''}`,
    ),
  );
  const kept: Record<string, number> = {};
  for (const { standing, recent: n } of recent) kept[standing] = (kept[standing] ?? 0) + n;
  expect(withoutZeros(kept)).toEqual(
    countBy(
      whole.filter((row) => row.outcome !== null && (row.ended_at ?? -1) >= reopenedAt),
      ({ outcome }) => outcome ?? '',
    ),
  );
  await expectMoney(ledger, batch, charges, rows);
  const running = charges.filter((one) => one.state === 'accepted' && one.finished_at === null);
  expect(sums.sending).toBe(charges.filter(({ state }) => state === 'sending').length);
  expect(sums.running).toBe(running.length);
  const announced = running.filter((one) => one.file === null && one.charged_from === 'api');
  expect(sums.unbilled).toBeCloseTo(
    sum(announced, ({ quoted, charged }) => Math.max(0, (quoted ?? 0) - (charged ?? 0))),
    6,
  );
}

async function expectMoney(
  ledger: Ledger,
  batch: string,
  charges: readonly ChargeLine[],
  rows: readonly RowLine[],
): Promise<void> {
  const quotes = (state: string): number =>
    sum(
      charges.filter((one) => one.state === state),
      ({ quoted }) => quoted ?? 0,
    );
  const money = await ledger.money(batch);
  expect(money.charged).toBeCloseTo(
    sum(charges, ({ charged }) => charged ?? 0),
    6,
  );
  const promised = sum(rows, (row) => (row.outcome === null ? row.promised : 0));
  expect(money.reserved).toBeCloseTo(quotes('sending') + promised, 6);
  expect(money.uncertain).toBeCloseTo(quotes('unknown'), 6);
  expect(money.saved).toBeCloseTo(quotes('cached'), 6);
  expect(money.damaged).toBe(sum(charges, ({ damaged }) => damaged));
  const isEstimated = ({ state, charged_from }: ChargeLine): boolean =>
    state === 'sending' ||
    state === 'unknown' ||
    ((state === 'accepted' || state === 'done') && charged_from !== 'api');
  expect(money.estimated).toBe(charges.some(isEstimated));
}

function sum<T>(lines: readonly T[], valueOf: (line: T) => number): number {
  // In millionths, which are exact.
  return lines.reduce((total, line) => total + Math.round(valueOf(line) * 1e6), 0) / 1e6;
}

function countBy<T>(lines: readonly T[], nameOf: (line: T) => string): Readonly<Record<string, number>> {
  const counts: Record<string, number> = {};
  for (const line of lines) counts[nameOf(line)] = (counts[nameOf(line)] ?? 0) + 1;
  return counts;
}

function withoutZeros(counts: Readonly<Record<string, number>>): Readonly<Record<string, number>> {
  return Object.fromEntries(Object.entries(counts).filter(([, n]) => n !== 0));
}
