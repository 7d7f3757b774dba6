/** @slow */
import { expect, it } from '@jest/globals';
import { byItself } from '../../../contract/actions.ts';
import { CopyInDoubt, LedgerAway } from '../../../ledger/errors.ts';
import { openLedger } from '../../../ledger/open-ledger.ts';
import { aKey, fill, INTENT } from '../setup.ts';
import { postgresForTest } from '../../support/postgres-for-test.ts';

it('a process that ends in order on a copy that nobody has accepted stays noted as one whose requests are missing', async () => {
  const primary = await postgresForTest();
  const worker = await openLedger(primary.url, { makesTables: true });
  await fill(worker, 2);
  expect(await worker.intend(aKey(1), INTENT)).toMatchObject({ type: 'go' });
  const replica = await primary.replicate();
  replica.fallBehind();
  expect(await worker.intend(aKey(2), INTENT)).toMatchObject({ type: 'go' });
  primary.kill();
  await replica.takeOver();
  await expect(worker.setControl('b', 'paused')).rejects.toThrow(LedgerAway);
  await worker.close();

  const person = await openLedger(primary.url);
  await person.acceptCopy(byItself(null));
  // The copy lacks the second request, and the only process that remembered it has ended.
  await expect(person.setControl('b', 'running')).rejects.toThrow('1 of the processes');
  await expect(person.setControl('b', 'running')).rejects.toThrow(CopyInDoubt);
  expect(await person.clearDoubts(byItself(null))).toMatchObject({ senders: 1 });
  expect(await person.setControl('b', 'running')).toBe('running');
  await person.close();
});
