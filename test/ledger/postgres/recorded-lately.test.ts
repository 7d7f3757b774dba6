import { expect, it, jest } from '@jest/globals';
import { byItself } from '../../../contract/actions.ts';
import { messageOf } from '../../../contract/message-of.ts';
import { CopyInDoubt, LedgerAway, LedgerMisuse } from '../../../ledger/errors.ts';
import { openDatabase, openLedger } from '../../../ledger/open-ledger.ts';
import { waitFor } from '../../support/wait-for.ts';
import { aBatch, aKey, fill, INTENT } from '../setup.ts';
import { pretendCopy } from './pretend-copy.ts';
import { newPlace, resume } from './new-place.ts';

/** Makes the ledger one that was copied before any request was recorded. */
async function makeOldCopy(place: string): Promise<void> {
  const { db } = await openDatabase({ place, mustExist: true });
  await db.deleteFrom('results').execute();
  await db.deleteFrom('charges').execute();
  await db.updateTable('rows').set({ state: 'waiting', outcome: null, ended_at: null, file: null }).execute();
  await db.destroy();
  await pretendCopy(place);
}

it('what a process recorded lately is on record again once a copy that lacks it was accepted, and is not sent again', async () => {
  const place = newPlace();
  const ledger = await openLedger(place, { makesTables: true });
  await fill(ledger, 4);
  // The clock of this host is not the ledger's.
  const now = Date.now();
  const ahead = jest.spyOn(Date, 'now').mockReturnValue(now + 3_600_000);
  for (const row of [1, 2, 3]) expect(await ledger.intend(aKey(row), INTENT)).toMatchObject({ type: 'go' });
  ahead.mockRestore();
  for (const row of [2, 3])
    await ledger.settle(aKey(row), { verdict: 'accepted', jobId: `job-${row}`, credits: 2 }, { state: 'processing' });
  const file = { key: 'b/r3.mp3', bytes: 3, sha256: 'abc', mime: 'audio/mpeg', extension: 'mp3' };
  await ledger.finishJob(aKey(3), { file, credits: 2 }, { outcome: 'succeeded', file });

  await makeOldCopy(place);
  const answer = [aKey(1), { verdict: 'accepted', jobId: 'job-1' }, { state: 'processing' }] as const;
  await expect(ledger.settle(...answer)).rejects.toThrow(LedgerAway);
  await ledger.acceptCopy(byItself(null));
  expect(await ledger.settle(...answer)).toMatchObject({ settled: true, row: { state: 'processing' } });
  // Not before it has recorded all again.
  await resume(ledger);
  expect(await ledger.intend(aKey(2), INTENT)).toMatchObject({
    type: 'exists',
    charge: { state: 'accepted', jobId: 'job-2', charged: 2 },
  });
  expect((await ledger.readRow('b', 2))?.charges[0]?.intentAt).toBeLessThan(now + 600_000);
  await waitFor(async () => (await ledger.readRow('b', 3))?.row.outcome === 'succeeded');
  expect(await ledger.intend(aKey(4), INTENT)).toMatchObject({ type: 'go' });
  expect(await ledger.recordAgain([{ key: aKey(9), intent: INTENT, at: 0 }])).toBe(0);
  await ledger.close();
});

const accepted = (jobId: string) => [{ verdict: 'accepted', jobId, credits: 2 }, { state: 'processing' }] as const;

it('nothing is resumed before all processes that wrote lately have recorded again, or a person says that they are dead', async () => {
  const place = newPlace();
  const first = await openLedger(place, { makesTables: true });
  await fill(first, 2);
  const [second, person] = [await openLedger(place), await openLedger(place)];
  expect(await first.intend(aKey(1), INTENT)).toMatchObject({ type: 'go' });
  expect(await second.intend(aKey(2), INTENT)).toMatchObject({ type: 'go' });
  await makeOldCopy(place);
  await person.acceptCopy(byItself(null));

  // The second one comes back; the first one has not written since, and its request is on no record.
  expect(await second.intend(aKey(1), INTENT)).toMatchObject({ type: 'blocked' });
  await waitFor(async () =>
    (await person.setControl('b', 'running').catch(messageOf)).startsWith(
      'The ledger is a copy that was accepted: 1 of',
    ),
  );
  expect(await person.findBatch('b')).toMatchObject({ control: 'paused' });
  await expect(person.createBatch(aBatch('new'))).rejects.toThrow(CopyInDoubt);
  await first.setControl('b', 'paused');
  await resume(person);
  expect(await second.intend(aKey(1), INTENT)).toMatchObject({ type: 'exists' });

  await person.acceptCopy(byItself(null));
  expect(await person.clearDoubts(byItself(null))).toEqual({ senders: 3, mayBeMore: false, unplaced: [] });
  expect(await person.setControl('b', 'running')).toBe('running');
  for (const ledger of [first, second, person]) await ledger.close();
});

it('what fits nowhere in the copy is kept, and nothing is resumed before a person has seen it', async () => {
  const place = newPlace();
  const ledger = await openLedger(place, { makesTables: true });
  await fill(ledger, 3);
  for (const row of [1, 2]) expect(await ledger.intend(aKey(row), INTENT)).toMatchObject({ type: 'go' });
  await ledger.settle(aKey(1), ...accepted('job-1'));
  await makeOldCopy(place);
  // The copy does not have the second row yet; and the first one was sent a second time by a process that knew nothing of it.
  const { db } = await openDatabase({ place, mustExist: true });
  await db.deleteFrom('rows').where('row', '=', 2).execute();
  await db.destroy();
  await ledger.acceptCopy(byItself(null));
  await ledger.setControl('b', 'paused');
  await waitFor(async () =>
    (await ledger.setControl('b', 'running').catch(messageOf)).includes('(1 of this batch: row 2)'),
  );
  await expect(ledger.settle(aKey(2), ...accepted('job-2'))).rejects.toThrow(LedgerMisuse);
  const [other, effect] = accepted('job-other');
  expect(await ledger.settle(aKey(1), { ...other, owner: 'w2' }, effect)).toMatchObject({ settled: false });
  await ledger.settle(aKey(1), ...accepted('job-1'));
  await expect(ledger.setControl('b', 'running')).rejects.toThrow(CopyInDoubt);
  const { unplaced } = await ledger.clearDoubts(byItself(null));
  expect(unplaced.map(({ key, jobId }) => [key.row, jobId]).toSorted()).toEqual([
    [1, 'job-other'],
    [2, 'job-2'],
  ]);
  expect(await ledger.setControl('b', 'running')).toBe('running');
  await ledger.close();
});
