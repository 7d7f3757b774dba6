import { describe, expect, it } from '@jest/globals';
import type { Ledger } from '../../../ledger/ledger.ts';
import { formatOccurrence } from '../../../policy/schedules/occurrence.ts';
import { aBatch, aRow, ledgerForEachTest } from '../setup.ts';
import { settingsOf } from '../../support/schedule-on-record.ts';

const AT = Date.UTC(2026, 11, 1, 2);
const NIGHTLY = { schedule: 'nightly', at: AT };
const NAME = formatOccurrence(NIGHTLY);
const BOTH = { onEnd: 'true', notify: 'https://hooks.example/x' };
const FAILED = { type: 'failed', exit: null, reason: 'No manifest.' } as const;

let ledger: Ledger;
ledgerForEachTest(async (made) => {
  ledger = made;
  await ledger.settleSchedule('nightly', settingsOf(), 0);
});

async function events(name = NAME): Promise<readonly string[]> {
  return (await ledger.noticesOf(name)).map(({ event, target }) => `${event} ${target}`).sort();
}

describe('the hooks of a schedule', () => {
  it('are kept until they are changed, one by one, or the schedule is forgotten', async () => {
    const none = { onEnd: null, notify: null };
    expect(await ledger.scheduleHooks('nightly')).toEqual(none);
    expect(await ledger.scheduleHooks('weekly')).toEqual(none);
    await ledger.setScheduleHooks('nightly', BOTH);
    expect(await ledger.scheduleHooks('nightly')).toEqual(BOTH);
    await ledger.setScheduleHooks('nightly', {});
    await ledger.setScheduleHooks('nightly', { onEnd: null });
    expect(await ledger.scheduleHooks('nightly')).toEqual({ ...BOTH, onEnd: null });
    await ledger.noteSkips('nightly', { skipped: [], until: AT });
    expect(await ledger.scheduleHooks('nightly')).toEqual({ ...BOTH, onEnd: null });
    await ledger.forgetSchedule('nightly');
    await ledger.settleSchedule('nightly', settingsOf(), 0);
    expect(await ledger.scheduleHooks('nightly')).toEqual(none);
  });

  it('are told of an occurrence that failed without a batch, once for each time', async () => {
    await ledger.setScheduleHooks('nightly', BOTH);
    await ledger.beginOccurrence(NIGHTLY);
    expect(await events()).toEqual([]);
    await ledger.endOccurrence(NIGHTLY, FAILED);
    await ledger.endOccurrence(NIGHTLY, FAILED);
    expect(await events()).toEqual(['failed command', 'failed url']);
    await ledger.beginOccurrence(NIGHTLY);
    await ledger.endOccurrence(NIGHTLY, FAILED);
    expect(await events()).toHaveLength(4);
  });

  it('are told of one that was missed, and of one that the month could not pay', async () => {
    await ledger.setScheduleHooks('nightly', { notify: BOTH.notify });
    const skipped = [{ at: AT, cause: 'missed', reason: 'Nobody was there.' }] as const;
    await ledger.noteSkips('nightly', { skipped, until: AT });
    await ledger.noteSkips('nightly', { skipped, until: AT });
    expect(await events()).toEqual(['skipped url']);
    const next = { schedule: 'nightly', at: AT + 1_000 };
    await ledger.beginOccurrence(next);
    await ledger.endOccurrence(next, { type: 'skipped', cause: 'month-budget', reason: 'Used up.' });
    expect(await events(formatOccurrence(next))).toEqual(['skipped url']);
  });

  it.each(['paused', 'overlap'] as const)(
    'are not told of one that was %s: that is somebody’s choice',
    async (cause) => {
      await ledger.setScheduleHooks('nightly', BOTH);
      await ledger.noteSkips('nightly', { skipped: [{ at: AT, cause, reason: 'So.' }], until: AT });
      expect(await events()).toEqual([]);
    },
  );

  it('are not told of a failure whose batch tells of itself', async () => {
    await ledger.setScheduleHooks('nightly', BOTH);
    await ledger.createBatch(aBatch(NAME));
    await ledger.addRows(NAME, [aRow(1)]);
    await ledger.openBatch(NAME, 1);
    await ledger.beginOccurrence(NIGHTLY);
    await ledger.endOccurrence(NIGHTLY, { ...FAILED, exit: 'halted' });
    expect(await events()).toEqual([]);
  });

  it('are those of their own schedule only', async () => {
    await ledger.setScheduleHooks('nightly', BOTH);
    const other = { schedule: 'weekly', at: AT };
    await ledger.settleSchedule('weekly', settingsOf(), 0);
    await ledger.beginOccurrence(other);
    await ledger.endOccurrence(other, FAILED);
    expect(await events(formatOccurrence(other))).toEqual([]);
  });
});
