import { describe, expect, it } from '@jest/globals';
import { LedgerMisuse } from '../../../ledger/errors.ts';
import type { Ledger } from '../../../ledger/ledger.ts';
import type { RowRecord } from '../../../ledger/record-types.ts';
import type { RedriveChoice } from '../../../ledger/takes/redrive.ts';
import { expectKept } from '../recount.ts';
import { aBatch, aKey, aRow, claimAnew, INTENT, ledgerForEachTest, redriveNow } from '../setup.ts';

/** A person goes back to the result of an earlier take. */

const WHO = 'ann@home';
const LOST = { class: 'OutcomeUnknown', message: 'No answer came.' } as const;

let ledger: Ledger;
ledgerForEachTest(async (made) => {
  ledger = made;
  await ledger.createBatch(aBatch());
  const part = (text: string) => ({ spec: { kind: 'tts', text, voice: 'v', extra: {} } as const, quoted: 1 });
  const stt = { ...aRow(3), spec: { kind: 'stt', audio: 'http://h/a.mp3', extra: {} } as const };
  await ledger.addRows('b', [aRow(1), { ...aRow(2), parts: { first: 4, rows: [part('One.'), part('Two.')] } }, stt]);
  await ledger.openBatch('b', 3);
});

const fileOf = (row: number, take: number) => {
  return { key: `b/${row}-${take}.mp3`, bytes: 3, sha256: String(take).repeat(64), extension: 'mp3' };
};

/** A take of a row is sent, and has a result. */
async function finish(row: number, take = 1): Promise<void> {
  const file = fileOf(row, take);
  await ledger.intend(aKey(row, 1, take), INTENT);
  await ledger.settle(
    aKey(row, 1, take),
    { verdict: 'accepted', jobId: `job-${row}-${take}` },
    { state: 'processing' },
  );
  await ledger.finishJob(aKey(row, 1, take), { file, credits: 4 }, { outcome: 'succeeded', file });
}

const again = (row: number, take = 1): Omit<RedriveChoice, 'outcome'> => {
  return { row, take, how: { type: 'pay', fromStep: row === 3 ? 'transcription' : 'speech', reason: 'redrive' } };
};

const back = (row: number, take: number, at: number, text?: string): Omit<RedriveChoice, 'outcome'> => {
  return {
    row,
    take: at,
    how: { type: 'accept', earlier: { take, who: WHO, ...(text === undefined ? {} : { text }) } },
  };
};

async function rowOf(row: number): Promise<RowRecord> {
  const found = await ledger.readRow('b', row);
  if (found === undefined) throw new Error(`There is no row ${row}.`);
  return found.row;
}

describe('a row that goes back to an earlier take', () => {
  it('has its result, and every charge stays', async () => {
    await finish(1);
    await redriveNow(ledger, 'b', [again(1)]);
    await finish(1, 2);
    const money = await ledger.money('b');
    await redriveNow(ledger, 'b', [back(1, 1, 2)]);
    expect(await rowOf(1)).toMatchObject({ outcome: 'succeeded', take: 2, file: fileOf(1, 1) });
    expect(await ledger.money('b')).toEqual(money);
    expect(await ledger.decisionsOf('b', 1)).toMatchObject([{ what: 'went-back', take: 1, who: WHO }]);
    expect(await ledger.releasedFiles('b')).toEqual([{ row: 1, files: [fileOf(1, 2)] }]);
    await expectKept(ledger, 'b');
  });

  it('does so where nobody knows what became of the later one, whose late answer is recorded', async () => {
    await finish(1);
    await redriveNow(ledger, 'b', [again(1)]);
    await ledger.intend(aKey(1, 1, 2), INTENT);
    await ledger.settle(aKey(1, 1, 2), { verdict: 'unknown', failure: LOST }, { outcome: 'unknown', failure: LOST });
    await redriveNow(ledger, 'b', [back(1, 1, 2)]);
    expect(await rowOf(1)).toMatchObject({ outcome: 'succeeded', failure: null, file: fileOf(1, 1) });
    expect((await ledger.money('b')).uncertain).toBeGreaterThan(0);
    await ledger.settle(aKey(1, 1, 2), { verdict: 'accepted', jobId: 'late', credits: 4 }, { state: 'processing' });
    expect(await rowOf(1)).toMatchObject({ outcome: 'succeeded', file: fileOf(1, 1) });
    expect(await ledger.money('b')).toMatchObject({ charged: 8, uncertain: 0 });
  });

  it('has its text and the files beside it, back and forth', async () => {
    for (const take of [1, 2]) {
      const key = { ...aKey(3, 1, take), step: 'transcription' } as const;
      const file = { ...fileOf(3, take), extension: 'txt' };
      const extraFiles = [{ ...file, key: `b/3-${take}.srt`, extension: 'srt' }];
      await ledger.intend(key, INTENT);
      await ledger.settle(
        key,
        { verdict: 'done', file },
        { outcome: 'succeeded', file, extraFiles, text: `take ${take}` },
      );
      if (take === 1) await redriveNow(ledger, 'b', [again(3)]);
    }
    const standing = await rowOf(3);
    await redriveNow(ledger, 'b', [back(3, 1, 2, 'take 1')]);
    expect(await rowOf(3)).toMatchObject({
      text: 'take 1',
      file: { key: 'b/3-1.mp3' },
      extraFiles: [{ key: 'b/3-1.srt' }],
    });
    await redriveNow(ledger, 'b', [back(3, 2, 2, 'take 2')]);
    expect(await rowOf(3)).toMatchObject({ text: 'take 2', file: standing.file, extraFiles: standing.extraFiles });
  });

  it('is joined again if it is a part', async () => {
    for (const part of [4, 5]) await finish(part);
    const whole = async (): Promise<void> => {
      const { rows } = await claimAnew(ledger);
      const fence = rows.find(({ row }) => row.row === 2)?.row.fence ?? 0;
      await ledger.endWhole({ batch: 'b', row: 2, fence }, { file: { ...fileOf(2, 1), key: 'b/2-joined.mp3' } });
    };
    await whole();
    await redriveNow(ledger, 'b', [again(4)]);
    await finish(4, 2);
    await whole();
    await finish(1);
    await ledger.giveUp({ ...aKey(3), step: 'transcription' }, { outcome: 'cancelled' });
    expect(await ledger.closeBatch('b')).toBe(0);
    await redriveNow(ledger, 'b', [back(4, 1, 2)]);
    expect(await rowOf(4)).toMatchObject({ outcome: 'succeeded', file: fileOf(4, 1) });
    expect(await rowOf(2)).toMatchObject({ outcome: null, state: 'fetching' });
    expect((await ledger.findBatch('b'))?.state).toBe('open');
    await whole();
    expect(await rowOf(2)).toMatchObject({ outcome: 'succeeded' });
    await expectKept(ledger, 'b');
  });

  it.each([
    ['made none', 3],
    ['asked for something else', 1],
  ])('does not if that take %s, whatever its caller believes', async (_, take) => {
    await finish(1);
    const edited = { spec: { ...aRow(1).spec, text: 'Other.' }, input: ['Other.'], quoted: 1 };
    const change = { type: 'pay', fromStep: 'speech', reason: 'edited', edited } as const;
    await redriveNow(ledger, 'b', [{ row: 1, take: 1, how: change }]);
    await finish(1, 2);
    await expect(redriveNow(ledger, 'b', [back(1, take, 2)])).rejects.toThrow(LedgerMisuse);
    expect(await rowOf(1)).toMatchObject({ file: fileOf(1, 2) });
  });

  it('leaves what a person said of a request as it was', async () => {
    await ledger.intend(aKey(1), INTENT);
    await ledger.settle(aKey(1), { verdict: 'unknown', failure: LOST }, { outcome: 'unknown', failure: LOST });
    await ledger.decide(aKey(1), { type: 'adopted', jobId: 'job-x', who: WHO });
    await ledger.finishJob(aKey(1), { file: fileOf(1, 1) }, { outcome: 'succeeded', file: fileOf(1, 1) });
    await redriveNow(ledger, 'b', [again(1)]);
    await finish(1, 2);
    await redriveNow(ledger, 'b', [back(1, 1, 2)]);
    const release = { type: 'released', jobId: 'job-x', who: WHO } as const;
    await expect(ledger.decide(aKey(1), release)).rejects.toThrow('has the result of that job');
    await redriveNow(ledger, 'b', [back(1, 2, 2)]);
    expect(await ledger.decide(aKey(1), release)).toBe(true);
  });
});
