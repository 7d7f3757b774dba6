import { expect } from '@jest/globals';
import type { Step } from '../../../contract/row-kinds.ts';
import type { Ledger } from '../../../ledger/ledger.ts';
import type { ChargeRecord, ResultFile, RowRecord } from '../../../ledger/record-types.ts';
import type { RedriveChoice } from '../../../ledger/takes/redrive.ts';
import type { RedriveWish } from '../../../policy/redrive/redrive.ts';
import { aBatch, aKey, aRow, INTENT, ledgerForEachTest, redriveNow } from '../setup.ts';

/** Rows whose takes are made, left, and gone back to. */

export const WHO = 'ann@home';
export const LOST = { class: 'OutcomeUnknown', message: 'No answer came.' } as const;
export const [SPOKEN, DUBBED, CHECKED] = [1, 2, 3] as const;
export const WISH: RedriveWish = { step: null, resubmit: false, replace: true, accept: false, edited: null };

let ledger: Ledger;

/** A batch of a spoken row, a dubbed one, and one whose speech is verified, in a new ledger for each test. */
export function rowsForEachTest(use: (made: Ledger) => void): void {
  ledgerForEachTest(async (made) => {
    ledger = made;
    use(made);
    await ledger.createBatch(aBatch());
    const dub = { kind: 'dub', text: 'Hello.', voice: 'v', video: 'http://h/v.mp4', extra: {} } as const;
    await ledger.addRows('b', [
      aRow(SPOKEN),
      { ...aRow(DUBBED), spec: dub },
      { ...aRow(CHECKED), spec: { ...dub, verify: 0.1 } },
    ]);
    await ledger.openBatch('b', CHECKED);
  });
}

export function fileOf(row: number, take: number, step: Step): ResultFile {
  return { key: `b/${row}-${step}-${take}.mp3`, bytes: 3, sha256: String(take).repeat(64), extension: 'mp3' };
}

/** A step of a take is sent, and has its result. */
export async function make(row: number, take: number, step: Step = 'speech'): Promise<void> {
  const key = aKey(row, 1, take, step);
  const file = fileOf(row, take, step);
  const isLast = row === SPOKEN || step === 'lip-sync';
  expect(await ledger.intend(key, INTENT)).toMatchObject({ type: 'go' });
  const effect = isLast ? ({ outcome: 'succeeded', file } as const) : ({ state: 'waiting' } as const);
  if (step === 'verification') {
    await ledger.settle(key, { verdict: 'done', file }, effect);
    return;
  }
  await ledger.settle(key, { verdict: 'accepted', jobId: `${step}-${row}-${take}` }, { state: 'processing' });
  await ledger.finishJob(key, { file, credits: 4 }, effect);
}

export async function payAgain(row: number, fromStep: Step = 'speech'): Promise<void> {
  const { take } = await rowOf(row);
  await redriveNow(ledger, 'b', [{ row, take, how: { type: 'pay', fromStep, reason: 'redrive' } }]);
}

export async function goBack(row: number, to: number): Promise<void> {
  const { take } = await rowOf(row);
  const choice: Omit<RedriveChoice, 'outcome'> = {
    row,
    take,
    how: { type: 'accept', earlier: { take: to, who: WHO } },
  };
  await redriveNow(ledger, 'b', [choice]);
}

export async function standing(
  row: number,
): Promise<{ readonly row: RowRecord; readonly charges: readonly ChargeRecord[] }> {
  const found = await ledger.readRow('b', row);
  if (found === undefined) throw new Error(`There is no row ${row}.`);
  return found;
}

/** The record of a row. */
export const rowOf = async (row: number): Promise<RowRecord> => (await standing(row)).row;

/** Take 2 of the spoken row is sent, and its answer is lost. */
export async function loseAnswer(): Promise<void> {
  await make(SPOKEN, 1);
  await payAgain(SPOKEN);
  await ledger.intend(aKey(SPOKEN, 1, 2), INTENT);
  await ledger.settle(aKey(SPOKEN, 1, 2), { verdict: 'unknown', failure: LOST }, { outcome: 'unknown', failure: LOST });
}
