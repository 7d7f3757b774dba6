import { describe, expect, it } from '@jest/globals';
import type { Ledger } from '../../../ledger/ledger.ts';
import { groupFailures } from '../../../batches/look/view-batch.ts';
import type { BatchView } from '../../../batches/look/view-batch.ts';

/** A batch whose rows failed with these messages, from row 1 on. */
async function groupsOf(
  messages: readonly string[],
): Promise<readonly (readonly [rows: number, firstRow: number, message: string])[]> {
  const rows = messages.map((message, at) => ({
    row: { row: at + 1, id: `r${at + 1}`, failure: { class: 'JobFailed', message } },
  }));
  const ledger = {
    scanRows: async function* () {
      yield* rows;
    },
  } as unknown as Ledger;
  const view = {
    batch: { name: 'b' },
    counts: { notChosen: 0, outcomes: { failed: rows.length, unfit: 0, skipped: 0, unknown: 0, overdue: 0 } },
  } as unknown as BatchView;
  const groups = await groupFailures(ledger, view);
  return groups.map(({ rows: count, firstRow, message }) => [count, firstRow, message]);
}

describe('groupFailures', () => {
  it('puts what differs only in its job, time or price together, in the words of the first row', async () => {
    expect(
      await groupsOf([
        'The API says that job 3f1-a failed: hoarse',
        'The API says that job 99 failed: hoarse',
        'Job 7 is still "running" after 0.5 min; it may have been charged.',
        'Job 7 is still "running" after 12 min; it may have been charged.',
      ]),
    ).toEqual([
      [2, 1, 'The API says that job 3f1-a failed: hoarse'],
      [2, 3, 'Job 7 is still "running" after 0.5 min; it may have been charged.'],
    ]);
  });

  it('keeps apart what fails for another reason, the status of an answer included', async () => {
    expect(await groupsOf(['answered with 422', 'answered with 404', 'answered with 404'])).toEqual([
      [2, 2, 'answered with 404'],
      [1, 1, 'answered with 422'],
    ]);
  });
});
