/** @slow */
import { expect, it } from '@jest/globals';
import { byItself } from '../../../contract/actions.ts';
import { LedgerAway, CopyInDoubt } from '../../../ledger/errors.ts';
import { openLedger } from '../../../ledger/open-ledger.ts';
import { waitFor } from '../../support/wait-for.ts';
import { aKey, fill, INTENT, upTo } from '../setup.ts';
import { postgresForTest } from '../../support/postgres-for-test.ts';
import { resume } from './new-place.ts';
import { pretendCopy } from './pretend-copy.ts';

it('a process that begins after the disk of the server was set back sends nothing either, until a person has accepted that', async () => {
  const server = await postgresForTest();
  const worker = await openLedger(server.url, { makesTables: true });
  await fill(worker, 2);
  server.kill();
  const setBack = server.keepFiles();
  await server.start();
  expect(await worker.intend(aKey(1), INTENT)).toMatchObject({ type: 'go' });
  server.kill();
  setBack();
  await server.start();
  await expect(worker.setControl('b', 'running')).rejects.toThrow(LedgerAway);

  const later = await openLedger(server.url);
  await expect(later.intend(aKey(1), INTENT)).rejects.toThrow(LedgerAway);
  await expect(later.acceptedAt()).rejects.toThrow('a copy that nobody has accepted');
  await later.acceptCopy(byItself(null));
  await worker.setControl('b', 'paused');
  await resume(later);
  expect(await later.intend(aKey(1), INTENT)).toMatchObject({ type: 'exists' });
  expect(await later.intend(aKey(2), INTENT)).toMatchObject({ type: 'go' });
  for (const ledger of [worker, later]) await ledger.close();
});

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

/** One more than a process remembers. */
const ROWS = 10_001;

it('a process does not say that all is on record which has forgotten requests that the copy lacks', async () => {
  const primary = await postgresForTest();
  const worker = await openLedger(primary.url, { makesTables: true });
  await fill(worker, ROWS);
  const replica = await primary.replicate();
  replica.fallBehind();
  const rows = upTo(ROWS);
  await worker.intend(aKey(1), INTENT);
  await Promise.all(rows.slice(1).map((row) => worker.intend(aKey(row), { ...INTENT, maxSending: ROWS })));
  primary.kill();
  await replica.takeOver();

  const person = await openLedger(primary.url);
  await person.acceptCopy(byItself(null));
  const sent = async (row: number): Promise<boolean> => (await worker.readRow('b', row))?.charges.length === 1;
  // So it records again all that it remembers. What it does after that is behind it, too.
  await worker.setControl('b', 'paused');
  await waitFor(() => sent(ROWS));
  for (let times = 1; times <= 3; times++) await worker.setControl('b', 'paused');
  expect([await sent(1), await sent(2)]).toEqual([false, true]);
  await expect(person.setControl('b', 'running')).rejects.toThrow('1 of the processes');
  expect(await person.clearDoubts(byItself(null))).toMatchObject({ senders: 1 });

  // The next copy lacks none of them: what was forgotten is older than what it has of this process.
  await pretendCopy(primary.url);
  await person.acceptCopy(byItself(null));
  for (const ledger of [worker, person]) await ledger.setControl('b', 'paused');
  await resume(person);
  for (const ledger of [worker, person]) await ledger.close();
});
