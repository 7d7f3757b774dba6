import { describe, expect, it } from '@jest/globals';
import type { LedgerEntry } from '../../simulator/start-simulator.ts';
import { checkMonth, type CheckedTime } from './check-month.ts';
import { chargeOf } from './sample-charges.ts';

const AT = Date.UTC(2026, 10, 5, 2);
const DAY = 86_400_000;
const TERMS = { due: [AT, AT + DAY], runBudget: 30, monthBudget: 50 };

function timeOf(day: number, more: Partial<CheckedTime> = {}): CheckedTime {
  const at = new Date(AT + day * DAY).toISOString().slice(0, 19);
  const batch = `nightly.${at.replaceAll(':', '-')}Z`;
  return { at: `${at}Z`, batch, state: 'ended', cause: null, reason: null, exit_code: 0, ...more };
}

const SKIPPED = timeOf(1, {
  state: 'skipped',
  cause: 'overlap',
  reason: 'The batch before still ran.',
  exit_code: null,
});
const RAN = timeOf(0);

function broken(times: readonly CheckedTime[], charges: readonly LedgerEntry[] = [], batches = [RAN.batch]): string[] {
  return checkMonth(times, charges, batches, TERMS).flatMap((finding) => finding.broken);
}

/** A charge of a batch. */
function charge({ batch }: CheckedTime, credits: number): LedgerEntry {
  const key = `voxbatch-00000000-0000-4000-8000-000000000000-${batch}-1-speech-1`;
  return { ...chargeOf(1), idempotencyKey: key, credits };
}

describe('a month', () => {
  it('has nothing to find where all ran once or is explained', () => {
    expect(broken([RAN, SKIPPED], [charge(RAN, 30)])).toEqual([]);
  });

  it('has lost a due time, has one twice, or one that was not due', () => {
    expect(broken([RAN])).toEqual([`${SKIPPED.at} is there 0 times`]);
    expect(broken([RAN, SKIPPED, SKIPPED])).toEqual([`${SKIPPED.at} is there 2 times`]);
    expect(broken([RAN, SKIPPED, { ...SKIPPED, at: timeOf(2).at }])).toEqual([`${timeOf(2).at} was not due`]);
  });

  it('leaves a due time without a reason, or unsettled', () => {
    expect(broken([RAN, { ...SKIPPED, reason: null }])).toHaveLength(1);
    expect(broken([RAN, { ...SKIPPED, state: 'waiting' }])).toHaveLength(1);
  });

  it('has a batch too few or too many, or one that was charged and is not said to have run', () => {
    expect(broken([RAN, SKIPPED], [], [])).toEqual([`${RAN.batch} has no files`]);
    expect(broken([RAN, SKIPPED], [], [RAN.batch, SKIPPED.batch])).toHaveLength(1);
    expect(broken([RAN, SKIPPED], [charge(SKIPPED, 1)])).toHaveLength(1);
  });

  it('has spent more than a run or the month may', () => {
    expect(broken([RAN, SKIPPED], [charge(RAN, 31)])).toEqual([`${RAN.batch}: 31`]);
    const both = [RAN, timeOf(1)];
    expect(
      broken(
        both,
        [charge(RAN, 30), charge(timeOf(1), 30)],
        both.map(({ batch }) => batch),
      ),
    ).toEqual(['2026-11: 60']);
  });
});
