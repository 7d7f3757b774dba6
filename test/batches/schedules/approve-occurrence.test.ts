import { describe, expect, it } from '@jest/globals';
import {
  approveOccurrence,
  type ApprovalRequest,
  type OccurrenceApproval,
} from '../../../batches/schedules/approve-occurrence.ts';
import { chooseSettings } from '../../../batches/batch-settings.ts';
import { Bill } from '../../../inputs/money/bill.ts';
import type { ManifestSummary } from '../../../inputs/read-manifest.ts';
import { formatOccurrence } from '../../../policy/schedules/occurrence.ts';
import { aBatch, ledger, ledgerForEachTest } from '../../ledger/setup.ts';

const AT = Date.UTC(2026, 11, 1, 2);
const NIGHTLY = { schedule: 'nightly', at: AT };

ledgerForEachTest();

/** Approves a bill: rows that cost something, and rows whose results are there already. */
async function approve(
  { rows, free }: { readonly rows: number; readonly free: number },
  more: Partial<ApprovalRequest> = {},
): Promise<OccurrenceApproval> {
  const bill = { ...new Bill(null).summary(), quoted: rows * 3, cheapest: rows === 0 ? null : 3, free };
  const summary = { ...bill, chosen: rows + free } as ManifestSummary;
  return approveOccurrence({
    ledger,
    occurrence: NIGHTLY,
    summary,
    settings: chooseSettings({}, {}).settings,
    confirmAbove: null,
    month: { credits: 10, timezone: 'UTC' },
    readBalance: async () => null,
    ...more,
  });
}

/** Another run of the month has these credits. */
async function spend(budget: number): Promise<void> {
  const batch = aBatch(formatOccurrence({ schedule: 'nightly', at: AT - 1_000 }));
  await ledger.createBatch({ ...batch, settings: { ...batch.settings, budget } });
}

describe('a firing', () => {
  it('may pay while the month has credits for a row', async () => {
    await spend(7);
    expect(await approve({ rows: 2, free: 0 })).toMatchObject({ type: 'go', month: { credits: 10, cheapest: 3 } });
    expect(await approve({ rows: 2, free: 0 }, { month: { credits: 9, timezone: 'UTC' } })).toMatchObject({
      type: 'skipped',
      cause: 'month-budget',
    });
  });

  it.each([null, 300])(
    'that no month can pay is skipped with the figures, by its own budget of %j, and not confirmed',
    async (budget) => {
      const { settings } = chooseSettings({}, {});
      const more = { settings: { ...settings, budget }, confirmAbove: 1, month: { credits: 2, timezone: 'UTC' } };
      expect(await approve({ rows: 94, free: 0 }, more)).toEqual({
        type: 'skipped',
        cause: 'month-budget',
        reason: 'The budget of 2 credits for 2026-12 does not cover even one row; none of it is spent or reserved.',
      });
    },
  );

  it('whose rows are there already costs nothing, whatever is left of the month', async () => {
    await spend(10);
    expect(await approve({ rows: 0, free: 5 })).toMatchObject({ type: 'go', month: { cheapest: 0 } });
    expect(await approve({ rows: 2, free: 5 })).toMatchObject({ type: 'go', month: { cheapest: 0 } });
    expect(await approve({ rows: 2, free: 0 })).toMatchObject({ type: 'skipped' });
  });

  it('is confirmed by what it pays for, not by what is there already', async () => {
    expect(await approve({ rows: 2, free: 500 }, { confirmAbove: 6, month: null })).toMatchObject({ type: 'go' });
    expect(await approve({ rows: 3, free: 0 }, { confirmAbove: 6, month: null })).toMatchObject({ type: 'refused' });
  });
});
