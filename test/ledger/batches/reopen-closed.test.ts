import { expect, it } from '@jest/globals';
import { BEGUN_SINCE, UNSEEN } from '../../../ledger/database/copy-senders.ts';
import { CopyInDoubt } from '../../../ledger/errors.ts';
import { ANN } from '../../support/ann.ts';
import { adopt, ask, FILE, finish, lose, stop, WAITING } from '../actions.ts';
import { inside } from '../inside.ts';
import { batchOf } from '../readings.ts';
import { aDub, aKey, ledger, ledgerForEachTest, load } from '../setup.ts';

/** A closed batch that a late answer opens again. */

ledgerForEachTest(() => load([aDub(1)]));

const LIP_SYNC = aKey(1, 1, 1, 'lip-sync');

/** The batch ends with its speech in doubt. */
async function end({ isStopped = false } = {}): Promise<void> {
  await lose(1);
  if (isStopped) await stop();
  expect(await ledger.closeBatch('b')).toBe(0);
}

/** A person names the job of that speech, so that the lip-sync is next. */
async function nameItsJob(): Promise<void> {
  expect(await adopt(1, 'speech-job')).toBe(true);
  await finish(1, { file: FILE }, WAITING);
}

it('on an accepted copy, it is paused, and nothing more is sent before a person has compared and resumed it', async () => {
  await end();
  await ledger.acceptCopy(ANN);
  await nameItsJob();
  expect(await batchOf()).toMatchObject({ state: 'open', control: 'paused', pauseReason: null });
  expect(await ask(LIP_SYNC)).toBe('blocked');
  const unplaced = { key: 'b/9-speech-1.mp3', row: 9, step: 'speech', take: 1, writtenAt: 1 };
  await ledger.noteFoundFiles('b', [unplaced], { from: 1, by: ANN });
  await expect(ledger.setControl('b', 'running', undefined, ANN)).rejects.toThrow(CopyInDoubt);
  const [pause] = await ledger.actionsOf({ batch: 'b', kinds: ['pause'] });
  expect(pause).toMatchObject({ actor: { type: 'voxbatch' }, reason: expect.stringContaining('a copy of the ledger') });
  await ledger.clearDoubts(ANN);
  expect(await ask(LIP_SYNC)).toBe('blocked');
  expect(await ledger.setControl('b', 'running', undefined, ANN)).toBe('running');
  expect(await ask(LIP_SYNC)).toBe('go');
});

it('on an accepted copy, a batch can be put on record again with the cache mode `only`, and leaves that once a person has compared', async () => {
  await ledger.acceptCopy(ANN);
  // On PostgreSQL this process knows that no other one has sent anything.
  await inside(ledger, async (db) => {
    await db.deleteFrom('facts').where('name', '=', UNSEEN).execute();
    await db.insertInto('facts').values({ name: UNSEEN, value: BEGUN_SINCE }).execute();
  });
  await expect(load(1, { name: 'c' })).rejects.toThrow(/voxbatch reconcile BATCH/);
  await load(1, { name: 'c', settings: { cache: 'only' } });
  await expect(ledger.tune('c', { cache: 'on' })).rejects.toThrow(CopyInDoubt);
  // Nor once it is closed.
  await ledger.setControl('c', 'stopping');
  await ledger.cancelRest('c');
  expect(await ledger.closeBatch('c')).toBe(0);
  await expect(ledger.tune('c', { cache: 'on' })).rejects.toThrow(CopyInDoubt);
  await ledger.clearDoubts(ANN);
  expect(await ledger.tune('c', { cache: 'on' })).toMatchObject({ cache: 'on' });
  await load(1, { name: 'd' });
});

it('one that was stopped stays so on an accepted copy', async () => {
  await end({ isStopped: true });
  await ledger.acceptCopy(ANN);
  await nameItsJob();
  expect(await batchOf()).toMatchObject({ state: 'open', control: 'stopping' });
});

it('without a copy, it goes on as it was', async () => {
  await end();
  await nameItsJob();
  expect(await batchOf()).toMatchObject({ state: 'open', control: 'running' });
  expect(await ask(LIP_SYNC)).toBe('go');
});
