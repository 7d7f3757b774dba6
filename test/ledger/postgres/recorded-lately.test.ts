import { expect, it } from '@jest/globals';
import { randomUUID } from 'node:crypto';
import { byItself } from '../../../contract/actions.ts';
import { LedgerAway } from '../../../ledger/errors.ts';
import { openDatabase, openLedger } from '../../../ledger/open-ledger.ts';
import { waitFor } from '../../support/wait-for.ts';
import { aKey, fill, INTENT } from '../setup.ts';

/** Makes the ledger one that was copied before any request was recorded. */
async function makeOldCopy(place: string): Promise<void> {
  const { db } = await openDatabase({ place, mustExist: true });
  await db.deleteFrom('results').execute();
  await db.deleteFrom('charges').execute();
  await db.updateTable('rows').set({ state: 'waiting', outcome: null, ended_at: null, file: null }).execute();
  await db.updateTable('facts').set({ value: '1234/00000001 other' }).where('name', '=', 'database').execute();
  await db.destroy();
}

it('what a process recorded lately is on record again once a copy that lacks it was accepted, and is not sent again', async () => {
  const place = `${process.env['TEST_POSTGRES'] ?? ''}?schema=c${randomUUID().slice(0, 8)}`;
  const ledger = await openLedger(place, { makesTables: true });
  await fill(ledger, 4);
  for (const row of [1, 2, 3]) expect(await ledger.intend(aKey(row), INTENT)).toMatchObject({ type: 'go' });
  for (const row of [2, 3])
    await ledger.settle(aKey(row), { verdict: 'accepted', jobId: `job-${row}`, credits: 2 }, { state: 'processing' });
  const file = { key: 'b/r3.mp3', bytes: 3, sha256: 'abc', mime: 'audio/mpeg', extension: 'mp3' };
  await ledger.finishJob(aKey(3), { file, credits: 2 }, { outcome: 'succeeded', file });

  await makeOldCopy(place);
  const answer = [aKey(1), { verdict: 'accepted', jobId: 'job-1' }, { state: 'processing' }] as const;
  await expect(ledger.settle(...answer)).rejects.toThrow(LedgerAway);
  await ledger.acceptCopy(byItself(null));
  expect(await ledger.settle(...answer)).toMatchObject({ settled: true, row: { state: 'processing' } });
  await ledger.setControl('b', 'running');
  expect(await ledger.intend(aKey(2), INTENT)).toMatchObject({
    type: 'exists',
    charge: { state: 'accepted', jobId: 'job-2', charged: 2 },
  });
  await waitFor(async () => (await ledger.readRow('b', 3))?.row.outcome === 'succeeded');
  expect(await ledger.intend(aKey(4), INTENT)).toMatchObject({ type: 'go' });
  expect(await ledger.recordAgain([{ key: aKey(9), intent: INTENT, at: 0 }])).toBe(0);
  await ledger.close();
});
