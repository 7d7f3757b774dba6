import { describe, expect, it } from '@jest/globals';
import { explainRow } from '../../../batches/rows/explain.ts';
import { releaseTake, settleNotCharged } from '../../../batches/reconcile/decisions.ts';
import { LedgerMisuse } from '../../../ledger/errors.ts';
import { lostFile } from '../../../policy/redrive/lost-file.ts';
import { usedAttempt } from '../../../policy/rows/row-machine.ts';
import { checkedResult } from '../../../policy/verification/after-check.ts';
import { accept, adopt, answer, backTo, complete, finish, lose, PAY, redrive, release, RESUBMIT } from '../actions.ts';
import { settle, stop, succeed, UNFIT, WAIT, WHO } from '../actions.ts';
import { batchOf, close, money, rowOf, standing } from '../readings.ts';
import { aKey, aRow, claimAnew, ledger, load, partsOf } from '../setup.ts';
import {
  CHECKED,
  DUBBED,
  fileOf,
  goBack,
  loseAnswer,
  make,
  makeAgain,
  makeByAdoption,
  makeTwo,
} from './takes-of-rows.ts';
import { planOf, SECOND, SPOKEN, takesForEachTest } from './takes-of-rows.ts';
import { ANN } from '../../support/ann.ts';

/** A row that goes back to the result of an earlier take: what is done and said of it later is of that take. */

takesForEachTest();

const FIRST = { outcome: 'succeeded', file: fileOf(SPOKEN, 1) };

describe('a row that goes back to an earlier take', () => {
  it('has its result, and every charge stays', async () => {
    await makeTwo(SPOKEN);
    const before = await money();
    await goBack(SPOKEN, 1);
    expect(await rowOf(SPOKEN)).toMatchObject({ ...FIRST, take: 2 });
    expect(await money()).toEqual(before);
    expect(await ledger.decisionsOf('b', SPOKEN)).toMatchObject([{ what: 'went-back', take: 1, who: WHO }]);
    expect(await ledger.releasedFiles('b')).toEqual([{ row: SPOKEN, files: [fileOf(SPOKEN, 2)] }]);
  });

  it('does so where nobody knows what became of the later one, whose late answer is recorded', async () => {
    await loseAnswer();
    await goBack(SPOKEN, 1);
    expect(await rowOf(SPOKEN)).toMatchObject({ ...FIRST, failure: null });
    expect((await money()).uncertain).toBeGreaterThan(0);
    await answer(SECOND, { credits: 4 });
    expect(await rowOf(SPOKEN)).toMatchObject(FIRST);
    expect(await money()).toMatchObject({ charged: 8, uncertain: 0 });
  });

  it('has its text and the files beside it, back and forth', async () => {
    await load([{ ...aRow(1), spec: { kind: 'stt', audio: 'http://h/a.mp3', extra: {} } }], { name: 'texts' });
    const results = [1, 2].map((take) => {
      const file = fileOf(1, take, 'transcription');
      return { file, extraFiles: [{ ...file, extension: 'srt' }], text: `take ${take}` };
    });
    const how = { ...PAY, fromStep: 'transcription' } as const;
    for (const [at, result] of results.entries()) {
      if (at === 1) await ledger.redrive('texts', [{ row: 1, take: 1, outcome: 'succeeded', how }]);
      await complete({ ...aKey(1, 1, at + 1, 'transcription'), batch: 'texts' }, result);
    }
    for (const take of [1, 2]) {
      const back = backTo(take, { text: `take ${take}` });
      await ledger.redrive('texts', [{ row: 1, take: 2, outcome: 'succeeded', how: back }]);
      expect(await rowOf(1, 'texts')).toMatchObject(results[take - 1] ?? {});
    }
  });

  it('is joined again if it is a part', async () => {
    await load([{ ...aRow(1), parts: partsOf(2, 'One.', 'Two.') }], { name: 'long' });
    const part = (take = 1) => ({ ...aKey(2, 1, take), batch: 'long' });
    const change = (how: typeof PAY | ReturnType<typeof backTo>, take: number) =>
      ledger.redrive('long', [{ row: 2, take, outcome: 'succeeded', how }]);
    const join = async (): Promise<void> => {
      const { rows } = await claimAnew(ledger, { batch: 'long' });
      const fence = rows.find(({ row }) => row.row === 1)?.row.fence ?? 0;
      await ledger.endSplitRow({ batch: 'long', row: 1, fence }, { file: fileOf(1, 1) });
    };
    await succeed(part(), 1, fileOf(2, 1));
    await succeed({ ...aKey(3), batch: 'long' });
    await join();
    await change(PAY, 1);
    await succeed(part(2), 1, fileOf(2, 2));
    await join();
    await close('long');
    await change(backTo(1), 2);
    expect(await rowOf(2, 'long')).toMatchObject({ outcome: 'succeeded', file: fileOf(2, 1) });
    expect(await rowOf(1, 'long')).toMatchObject({ outcome: null, state: 'fetching' });
    expect((await batchOf('long')).state).toBe('open');
    await join();
    expect(await rowOf(1, 'long')).toMatchObject({ outcome: 'succeeded' });
  });

  it.each([
    ['made none', 3],
    ['asked for something else', 1],
  ])('does not if that take %s, whatever its caller believes', async (_, take) => {
    await make(SPOKEN, 1);
    const edited = { spec: { ...aRow(1).spec, text: 'Other.' }, input: ['Other.'], quoted: 1 };
    await redrive(SPOKEN, { ...PAY, reason: 'edited', edited });
    await make(SPOKEN, 2);
    await expect(goBack(SPOKEN, take)).rejects.toThrow(LedgerMisuse);
    expect(await rowOf(SPOKEN)).toMatchObject({ file: fileOf(SPOKEN, 2) });
  });

  it('leaves what a person said of a request as it was', async () => {
    await makeByAdoption();
    await redrive(SPOKEN);
    await make(SPOKEN, 2);
    await goBack(SPOKEN, 1);
    await expect(release(SPOKEN, 'job-x')).rejects.toThrow('has the result of that job');
    await goBack(SPOKEN, 2);
    expect(await release(SPOKEN, 'job-x')).toBe(true);
  });
});

describe('a later step of it', () => {
  const speechOf = async (row: number, take: number): Promise<number | null | undefined> =>
    (await standing(row)).charges.find((one) => one.step === 'lip-sync' && one.take === take)?.fromTake;

  it('uses the speech of the take that it went back to, and forth', async () => {
    await makeTwo(DUBBED);
    await goBack(DUBBED, 1);
    expect(await planOf(DUBBED, { step: 'lip-sync' })).toEqual({ ...PAY, fromStep: 'lip-sync' });
    await redrive(DUBBED, { ...PAY, fromStep: 'lip-sync' });
    const open = await standing(DUBBED);
    expect(usedAttempt(open.row, open.charges, 'speech')?.take).toBe(1);
    await make(DUBBED, 3, 'lip-sync');
    await goBack(DUBBED, 2);
    await makeAgain(DUBBED, 4);
    await goBack(DUBBED, 3);
    await makeAgain(DUBBED, 5);
    expect(await Promise.all([1, 2, 3, 4, 5].map((take) => speechOf(DUBBED, take)))).toEqual([1, 2, 1, 2, 1]);
  });

  it('uses the speech that the take it went back to had used, also if the result of that take is lost', async () => {
    await makeTwo(DUBBED);
    await makeAgain(DUBBED, 3);
    await redrive(DUBBED);
    await lose(aKey(DUBBED, 1, 4));
    await goBack(DUBBED, 3);
    const again = { ...RESUBMIT, fromStep: 'lip-sync' } as const;
    await redrive(DUBBED, again, { lost: lostFile('missing', undefined) });
    await make(DUBBED, 5, 'lip-sync');
    expect(await speechOf(DUBBED, 5)).toBe(2);
  });

  it('is paid alone, whatever became of the take that it left', async () => {
    await make(DUBBED, 1);
    await make(DUBBED, 1, 'lip-sync');
    await redrive(DUBBED);
    await make(DUBBED, 2);
    const key = aKey(DUBBED, 1, 2, 'lip-sync');
    await accept(key);
    const file = { ...fileOf(DUBBED, 2, 'lip-sync'), unfit: 'silent' };
    await finish(key, { file, failure: UNFIT }, { outcome: 'succeeded', file });
    await goBack(DUBBED, 1);
    // Nothing tells which of its steps was at fault.
    expect(await planOf(DUBBED)).toMatchObject({ type: 'pay', fromStep: 'speech' });
  });

  it('checks the speech of the take that it went back to', async () => {
    await makeTwo(CHECKED);
    await goBack(CHECKED, 1);
    await redrive(CHECKED, { ...PAY, fromStep: 'verification' });
    const { row, charges } = await standing(CHECKED);
    expect(checkedResult({ ...row.spec, acceptedTake: row.acceptedTake }, 'verification', charges)?.take).toBe(1);
    for (const step of ['verification', 'lip-sync'] as const) await make(CHECKED, 3, step);
    expect(await speechOf(CHECKED, 3)).toBe(1);
  });

  it('is taken back with all that its take stood at, if it cannot be paid for', async () => {
    await loseAnswer();
    await goBack(SPOKEN, 1);
    const { file, take, returnedTo } = await rowOf(SPOKEN);
    await redrive(SPOKEN, RESUBMIT);
    expect(await rowOf(SPOKEN)).toMatchObject({ take: 3, returnedTo: null });
    await stop();
    expect(await rowOf(SPOKEN)).toMatchObject({ outcome: 'succeeded', file, take, returnedTo });
  });
});

describe('the take that it left', () => {
  it('may be released: its own file is the row’s no more', async () => {
    await loseAnswer();
    await adopt(SECOND, 'job-x');
    const file = fileOf(SPOKEN, 2);
    await finish(SECOND, { file });
    await goBack(SPOKEN, 1);
    expect(await releaseTake(ledger, 'b', { row: SPOKEN, take: 2 }, ANN)).toMatchObject({ type: 'released' });
    const { row, charges } = await standing(SPOKEN);
    expect(row).toMatchObject(FIRST);
    expect(charges.at(-1)).toMatchObject({ take: 2, state: 'unknown' });
    expect((await ledger.releasedFiles('b')).flatMap(({ files }) => files)).toEqual([file]);
  });

  it('may be settled as not charged, and is named as one that may have been', async () => {
    await loseAnswer();
    await goBack(SPOKEN, 1);
    const explained = await explainRow(ledger, await batchOf(), 'r1');
    expect(explained).toMatchObject({ history: { unresolvedTakes: [{ row: SPOKEN, take: 2 }] } });
    expect(await ledger.earlierUnresolved('b', 5)).toMatchObject({ count: 1, first: [{ row: SPOKEN, take: 2 }] });
    expect(await settleNotCharged(ledger, 'b', { row: SPOKEN, take: 2 }, ANN)).toMatchObject({ type: 'not-charged' });
    expect(await rowOf(SPOKEN)).toMatchObject(FIRST);
    expect(await money()).toMatchObject({ charged: 4, uncertain: 0 });
  });

  it('says nothing of it by a late answer while its own lost file is fetched', async () => {
    await loseAnswer();
    await goBack(SPOKEN, 1);
    await redrive(SPOKEN, WAIT, { lost: lostFile('missing', undefined) });
    const file = fileOf(SPOKEN, 2);
    await settle(SECOND, { verdict: 'done', file }, { outcome: 'succeeded', file });
    expect(await rowOf(SPOKEN)).toMatchObject({ outcome: null, state: 'processing' });
    await finish(SPOKEN, { file: FIRST.file });
    expect(await rowOf(SPOKEN)).toMatchObject(FIRST);
  });

  it('is not waited for any longer for its lost file', async () => {
    await makeTwo(SPOKEN);
    await redrive(SPOKEN, WAIT, { lost: lostFile('missing', undefined) });
    await ledger.stopNow('b');
    await close();
    expect(await rowOf(SPOKEN)).toMatchObject({ outcome: 'overdue' });
    await goBack(SPOKEN, 1);
    expect(await rowOf(SPOKEN)).toMatchObject(FIRST);
    expect(await planOf(SPOKEN)).toMatchObject({ type: 'pay', fromStep: 'speech' });
    expect(await ledger.runningJobs('b')).toEqual([]);
    // Its file may be back by then, or fetched again.
    await goBack(SPOKEN, 2);
    expect(await rowOf(SPOKEN)).toMatchObject({ outcome: 'succeeded', file: fileOf(SPOKEN, 2) });
  });
});
