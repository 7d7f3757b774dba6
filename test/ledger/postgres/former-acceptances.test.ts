/** @slow */
import { expect, it } from '@jest/globals';
import { byItself } from '../../../contract/actions.ts';
import { LedgerAway } from '../../../ledger/errors.ts';
import type { Ledger } from '../../../ledger/ledger.ts';
import { openLedger } from '../../../ledger/open-ledger.ts';
import { makeReplaceableDatabase } from '../../support/replaceable-database.ts';
import { aKey, fill, INTENT } from '../setup.ts';
import { resume } from './new-place.ts';
import { pretendCopy } from './pretend-copy.ts';
import { postgresForTest } from '../../support/postgres-for-test.ts';

/** A person accepts what answers, and resumes once these have come back. */
async function acceptAndResume(person: Ledger, ...others: readonly Ledger[]): Promise<void> {
  await person.acceptCopy(byItself(null));
  for (const one of others) await one.setControl('b', 'paused');
  await resume(person);
}

it('a process that wrote to an accepted copy sends nothing at the former server that answers again, nor does one that begins there later', async () => {
  const primary = await postgresForTest();
  const one = await openLedger(primary.url, { makesTables: true });
  await fill(one, 3);
  const two = await openLedger(primary.url);
  await two.setControl('b', 'running');
  const replica = await primary.replicate();
  primary.kill();
  await replica.takeOver();
  await acceptAndResume(two, one, two);
  expect(await one.intend(aKey(1), INTENT)).toMatchObject({ type: 'go' });
  expect(await two.intend(aKey(2), { ...INTENT, owner: 'w2' })).toMatchObject({ type: 'go' });

  replica.kill();
  await primary.start();
  await expect(one.intend(aKey(2), INTENT)).rejects.toThrow(LedgerAway);
  const later = await openLedger(primary.url);
  await expect(later.intend(aKey(2), INTENT)).rejects.toThrow(LedgerAway);
  // A person decides that it is the ledger from now on. Then both go on by themselves, and know what they sent.
  await acceptAndResume(later, one, two);
  expect(await later.intend(aKey(2), INTENT)).toMatchObject({ type: 'exists' });
  expect(await one.intend(aKey(3), INTENT)).toMatchObject({ type: 'go' });
  for (const ledger of [one, two, later]) await ledger.close();
});

it('a disk that was set back to before an earlier acceptance is a copy, too', async () => {
  const server = await postgresForTest();
  const worker = await openLedger(server.url, { makesTables: true });
  await fill(worker, 3);
  server.kill();
  const setBack = server.keepFiles();
  await server.start();
  await acceptAndResume(worker, worker);
  const other = await openLedger(server.url);
  expect(await worker.intend(aKey(1), INTENT)).toMatchObject({ type: 'go' });
  expect(await other.intend(aKey(2), { ...INTENT, owner: 'w2' })).toMatchObject({ type: 'go' });
  server.kill();
  setBack();
  await server.start();
  await expect(worker.intend(aKey(2), INTENT)).rejects.toThrow(LedgerAway);
  for (const ledger of [worker, other]) await ledger.close();
});

it('a copy from before an earlier acceptance is gone on with once a person accepts it, who is told that it lacks that', async () => {
  const database = await makeReplaceableDatabase();
  const { ledger: place } = database;
  const one = await openLedger(place, { makesTables: true });
  await fill(one, 3);
  const idle = await openLedger(place);
  await idle.setControl('b', 'running');
  await database.copy();
  await pretendCopy(place);
  await acceptAndResume(one, one, idle);
  expect(await idle.intend(aKey(1), INTENT)).toMatchObject({ type: 'go' });

  await database.putCopy();
  const person = await openLedger(place);
  await person.acceptCopy(byItself(null));
  // That says nothing of what came after the earlier acceptance, which nobody had told.
  await expect(one.setControl('b', 'paused')).rejects.toThrow('voxbatch ledger accept-copy');
  await expect(person.setControl('b', 'paused')).rejects.toThrow(LedgerAway);
  await acceptAndResume(person, one, idle);
  expect(await one.intend(aKey(1), INTENT)).toMatchObject({ type: 'exists' });
  for (const ledger of [one, idle, person]) await ledger.close();
});
