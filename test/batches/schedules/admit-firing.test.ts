import { describe, expect, it } from '@jest/globals';
import { admitFiring } from '../../../batches/schedules/admit-firing.ts';
import { chooseSettings } from '../../../batches/batch-settings.ts';
import { scheduledRunOf } from '../../../batches/schedules/scheduled-run.ts';
import { freshPlace } from '../../support/place.ts';
import { settle, specOf } from '../../support/schedule-on-record.ts';

const DAY = 86_400_000;
const REALM = { apiUrl: 'https://api.example/api/open/v1', account: 'u1', ledgerId: 'l1' };
const place = freshPlace();

describe('a backfill of rare times', () => {
  it('goes on after a week, as long as its batches end one after the other', async () => {
    const { ledger } = place;
    const spec = specOf({ cron: '0 0 1 */3 *', timezone: 'UTC' });
    const run = scheduledRunOf(chooseSettings({}, {}), {
      ...{ manifest: '/data/lines.csv', outFolder: '/data/out', probe: false, confirmAbove: null },
    });
    await settle(ledger, 'quarterly', { run, spec });
    const now = Date.now();
    const [first, second, third] = [Date.UTC(2020, 0, 1), Date.UTC(2020, 3, 1), Date.UTC(2020, 6, 1)];
    await ledger.allowFirings('quarterly', {
      ...{ kind: 'backfill', from: first, until: third, spec, askedAt: now - 8 * DAY },
    });
    const admitted = (at: number): Promise<unknown> =>
      admitFiring({ ledger, realm: REALM, occurrence: { schedule: 'quarterly', at }, waitedMs: 0, now });
    expect(await admitted(second)).toMatchObject({ type: 'missed' });
    // It took a week, and has just ended.
    await ledger.beginOccurrence({ schedule: 'quarterly', at: first });
    await ledger.endOccurrence({ schedule: 'quarterly', at: first }, { type: 'ended', exit: 'complete' });
    expect(await admitted(second)).toMatchObject({ type: 'admitted' });
    expect(await admitted(third)).toMatchObject({ type: 'admitted' });
  });
});
