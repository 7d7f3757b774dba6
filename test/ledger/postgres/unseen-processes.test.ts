import { expect, it, jest } from '@jest/globals';
import { byItself } from '../../../contract/actions.ts';
import { CopyInDoubt, LedgerAway } from '../../../ledger/errors.ts';
import type { Ledger } from '../../../ledger/ledger.ts';
import { openLedger } from '../../../ledger/open-ledger.ts';
import { makeReplaceableDatabase } from '../../support/replaceable-database.ts';
import { waitFor } from '../../support/wait-for.ts';
import { aKey, fill, INTENT } from '../setup.ts';

const UNSEEN = 'requests that were sent after it was made may be missing from it';

/** A ledger with a process that has worked on it before a copy was made, and one that has begun after that and has sent row 2. */
async function twoProcesses(): Promise<{
  readonly place: string;
  readonly old: Ledger;
  readonly fresh: Ledger;
  readonly putCopy: () => Promise<void>;
}> {
  const database = await makeReplaceableDatabase();
  const { ledger: place } = database;
  const old = await openLedger(place, { makesTables: true });
  await fill(old, 3);
  expect(await old.intend(aKey(1), INTENT)).toMatchObject({ type: 'go' });
  await database.copy();
  const fresh = await openLedger(place);
  expect(await fresh.intend(aKey(2), { ...INTENT, owner: 'w2' })).toMatchObject({ type: 'go' });
  return { place, old, fresh, putCopy: () => database.putCopy() };
}

/** Waits until nobody is missed any more who could say something. Then nothing is resumed before a person has compared. */
async function expectDoubt(person: Ledger): Promise<void> {
  let refusal: unknown;
  await waitFor(async () => {
    refusal = await person.setControl('b', 'running').catch((error: unknown) => error);
    return !String(refusal).includes('of the processes');
  });
  expect(refusal).toBeInstanceOf(CopyInDoubt);
  expect(String(refusal)).toContain(UNSEEN);
  expect(await person.clearDoubts(byItself(null))).toEqual({ senders: 0, mayBeMore: true, unplaced: [] });
  expect(await person.setControl('b', 'running')).toBe('running');
}

it('a process that began after the copy was made, and is refused there, has a person asked', async () => {
  const { place, old, fresh, putCopy } = await twoProcesses();
  await putCopy();
  // A worker writes every few seconds.
  await expect(fresh.setControl('b', 'paused')).rejects.toThrow(LedgerAway);
  const person = await openLedger(place);
  await person.acceptCopy(byItself(null));
  await old.setControl('b', 'paused');
  await expectDoubt(person);
  for (const one of [old, fresh, person]) await one.close();
});

it('a process that knew of one that has begun since, and ended, has a person asked', async () => {
  const { place, old, fresh, putCopy } = await twoProcesses();
  await fresh.close();
  await old.setControl('b', 'running');
  await putCopy();
  const person = await openLedger(place);
  await person.acceptCopy(byItself(null));
  await old.setControl('b', 'paused');
  await expectDoubt(person);
  for (const one of [old, person]) await one.close();
});

it('a process that had written nothing for long when it met the copy cannot say that nobody has begun since', async () => {
  const { place, old, fresh, putCopy } = await twoProcesses();
  await fresh.close();
  await putCopy();
  const person = await openLedger(place);
  await person.acceptCopy(byItself(null));
  const own = performance.now.bind(performance);
  jest.spyOn(performance, 'now').mockImplementation(() => own() + 11 * 60_000);
  await old.setControl('b', 'paused');
  await expectDoubt(person);
  jest.restoreAllMocks();
  for (const one of [old, person]) await one.close();
});
