import { expect, it } from '@jest/globals';
import { sql } from 'kysely';
import { byItself } from '../../../contract/actions.ts';
import { copyLedger } from '../../../ledger/copy/copy-ledger.ts';
import { LedgerAway } from '../../../ledger/errors.ts';
import { createLedger } from '../../../ledger/ledger.ts';
import { openDatabase, openLedger } from '../../../ledger/open-ledger.ts';
import { openAt } from '../copy/sides.ts';
import { makeReplaceableDatabase } from '../../support/replaceable-database.ts';
import { aBatch, aKey, fill, INTENT } from '../setup.ts';
import { pretendCopy } from './pretend-copy.ts';
import { newPlace, resume } from './new-place.ts';

/** A ledger of its own, and how to change a fact of its database behind its back. */
function factsPlace(): { readonly place: string; readonly setFact: (like: string, value: string) => Promise<void> } {
  const place = newPlace();
  const setFact = async (like: string, value: string): Promise<void> => {
    const { db } = await openDatabase({ place, mustExist: true });
    await db.updateTable('facts').set({ value }).where('name', 'like', like).execute();
    await db.destroy();
  };
  return { place, setFact };
}

it('a copy of the database is written to only after a person has accepted it, which pauses what is open', async () => {
  const place = newPlace();
  const [one, other] = [await openLedger(place, { makesTables: true }), await openLedger(place)];
  const batches = [
    [one, 'a'],
    [other, 'b'],
  ] as const;
  for (const [ledger, name] of batches) {
    const loading = await ledger.createBatch(aBatch(name));
    await ledger.openBatch(loading, 0);
  }
  await pretendCopy(place);
  for (const ledger of [one, other]) {
    await expect(ledger.setControl('a', 'running')).rejects.toThrow(LedgerAway);
    expect(await ledger.findBatch('a')).toMatchObject({ control: 'running' });
  }
  await expect(one.acceptedAt()).rejects.toThrow('a copy that nobody has accepted, and may lack the last records');
  expect((await one.acceptCopy(byItself(null))).batches.toSorted()).toEqual(['a', 'b']);
  expect(await other.acceptedAt()).toBeGreaterThan(0);
  for (const [ledger, name] of batches) {
    expect(await ledger.findBatch(name)).toMatchObject({ control: 'paused' });
    // Neither has written since.
    await expect(ledger.setControl(name, 'running')).rejects.toThrow('2 of the processes');
  }
  for (const ledger of [one, other]) await ledger.setControl('a', 'paused');
  await resume(one, 'a');
  await Promise.all([one.close(), other.close()]);
});

it('a batch that had paused by itself waits for a person, too, once a copy was accepted', async () => {
  const place = newPlace();
  const ledger = await openLedger(place, { makesTables: true });
  const refusal = { class: 'BadToken', message: 'no' } as const;
  const alike = { class: 'JobFailed', message: 'the first 5 rows failed' } as const;
  for (const name of ['tired', 'failing', 'stopped', 'ended'])
    await ledger.openBatch(await ledger.createBatch(aBatch(name)), 0);
  await ledger.setControl('tired', 'paused', { class: 'OutOfCredits', message: 'no credits' });
  await ledger.setControl('failing', 'paused', alike);
  await ledger.setControl('stopped', 'stopping');
  await ledger.closeBatch('ended');
  await pretendCopy(place);

  expect(await ledger.acceptCopy(byItself(null))).toMatchObject({ batches: ['tired', 'failing'] });
  // `voxbatch run` resumes a batch with a reason such as OutOfCredits.
  expect(await ledger.findBatch('tired')).toMatchObject({ control: 'paused', pauseReason: null });
  // A worker hears late that its token is refused.
  for (const name of ['tired', 'failing']) await ledger.setControl(name, 'paused', refusal);
  expect(await ledger.findBatch('tired')).toMatchObject({ control: 'paused', pauseReason: null });
  expect(await ledger.findBatch('failing')).toMatchObject({ control: 'paused', pauseReason: alike });
  expect(await ledger.clearDoubts(byItself(null))).toMatchObject({ unplaced: [] });
  // Once a person has resumed it, it pauses by itself as ever.
  await ledger.setControl('tired', 'running');
  await ledger.setControl('tired', 'paused', refusal);
  expect(await ledger.findBatch('tired')).toMatchObject({ control: 'paused', pauseReason: refusal });
  await ledger.close();
});

it('a process that sees the database set back writes nothing more to it', async () => {
  const { place, setFact } = factsPlace();
  const ledger = await openLedger(place, { makesTables: true });
  const loading = await ledger.createBatch(aBatch('a'));
  await setFact('commit:%', '0 0');
  await expect(ledger.openBatch(loading, 0)).rejects.toThrow('voxbatch ledger accept-copy');
  await ledger.acceptCopy(byItself(null));
  await ledger.openBatch(loading, 0);
  await ledger.close();
});

it('a process that has written nothing for a year goes on, and sees the database set back to before its first write', async () => {
  const place = newPlace();
  const idle = await openLedger(place, { makesTables: true });
  const loading = await idle.createBatch(aBatch('a'));
  const { db } = await openDatabase({ place, mustExist: true });
  const mark = db.updateTable('facts').where('name', 'like', 'commit:%');
  await mark
    .set({ value: sql`split_part(value, ' ', 1) || ' ' || split_part(value, ' ', 2)::bigint - 31536000000` })
    .execute();
  const other = await openLedger(place);
  const others = await other.createBatch(aBatch('b'));
  await other.close();
  await idle.openBatch(loading, 0);
  await db.deleteFrom('facts').where('name', 'like', 'commit:%').execute();
  await db.destroy();
  await expect(idle.openBatch(others, 0)).rejects.toThrow('voxbatch ledger accept-copy');
  await idle.close();
});

it.each([
  ['goes from its own database', '', '', 0],
  ['stays in a copy', 'database', '1234/00000001 of-another-server', 1],
  ['stays in one that was accepted, and that it has not written to', 'database', 'accepted-anew', 1],
  ['stays in one that was set back', 'commit:%', '0 0', 1],
])('the mark of a process that ends in order %s', async (_where, like, value, left) => {
  const { place, setFact } = factsPlace();
  const ledger = await openLedger(place, { makesTables: true });
  await ledger.createBatch(aBatch('a'));
  const { db } = await openDatabase({ place, mustExist: true });
  const facts = db.selectFrom('facts').select('value');
  const { value: former } = await facts.where('name', '=', 'database').executeTakeFirstOrThrow();
  await setFact(like, value === 'accepted-anew' ? former.replace(/ \S+/, ` ${value}`) : value);
  await ledger.close();
  expect(await facts.where('name', 'like', 'commit:%').execute()).toHaveLength(left);
  await db.destroy();
});

it('a copy that nobody has accepted is not copied on: the new place would ask nobody any more', async () => {
  const place = newPlace();
  const ledger = await openLedger(place, { makesTables: true });
  await ledger.createBatch(aBatch('a'));
  await pretendCopy(place);
  const [from, to] = [await openAt(place), await openAt(newPlace())];
  await expect(copyLedger({ from, to })).rejects.toMatchObject({ refusal: { why: 'from-unaccepted' } });
  expect(await ledger.findBatch('a')).toMatchObject({ control: 'running' });
  await ledger.acceptCopy(byItself(null));
  expect(await copyLedger({ from, to })).toMatchObject({ type: 'copied' });
  expect(await createLedger(to.database).findBatch('a')).toMatchObject({ control: 'paused' });
  await ledger.close();
});

it('a clone that takes the place of a database on the same server is a copy, also for a process that starts later', async () => {
  const database = await makeReplaceableDatabase();
  const { ledger: place } = database;
  const first = await openLedger(place, { makesTables: true });
  await fill(first, 1);
  await first.close();
  // As a version before wrote it.
  const { db } = await openDatabase({ place, mustExist: true });
  const fact = db.selectFrom('facts').select('value').where('name', '=', 'database');
  const { value } = await fact.executeTakeFirstOrThrow();
  const former = value.split(' ').slice(0, 2).join(' ');
  await db.updateTable('facts').set({ value: former }).where('name', '=', 'database').execute();
  const second = await openLedger(place);
  await second.setControl('b', 'running');
  expect(await fact.executeTakeFirst()).toEqual({ value });
  await Promise.all([second.close(), db.destroy()]);

  await database.copy();
  const third = await openLedger(place);
  expect(await third.intend(aKey(1), INTENT)).toMatchObject({ type: 'go' });
  await third.settle(aKey(1), { verdict: 'accepted', jobId: 'job-1', credits: 2 }, { state: 'processing' });
  await third.close();
  await database.putCopy();

  const later = await openLedger(place);
  await expect(later.intend(aKey(1), INTENT)).rejects.toThrow('voxbatch ledger accept-copy');
  await later.acceptCopy(byItself(null));
  // It was made while nobody worked on it, so it names nobody who could say that a row was sent since.
  await expect(later.setControl('b', 'running')).rejects.toThrow(
    'requests that were sent after it was made may be missing from it',
  );
  expect(await later.clearDoubts(byItself(null))).toEqual({ senders: 0, mayBeMore: true, unplaced: [] });
  expect(await later.setControl('b', 'running')).toBe('running');
  await later.close();
});
