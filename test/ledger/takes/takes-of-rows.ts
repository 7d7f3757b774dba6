import type { Step } from '../../../contract/row-kinds.ts';
import type { ResultFile } from '../../../ledger/records.ts';
import { planRedrive, type RedrivePlan, type RedriveRequest } from '../../../policy/redrive/redrive.ts';
import { accept, adopt, backTo, finish, lose, PAY, redrive, send, settle, WAITING } from '../actions.ts';
import { standing } from '../readings.ts';
import { aDub, aKey, aRow, ledgerForEachTest, load } from '../setup.ts';

/** Rows whose takes are made, left, and gone back to. */

export const [SPOKEN, DUBBED, CHECKED] = [1, 2, 3] as const;
/** Take 2 of the spoken row. */
export const SECOND = aKey(SPOKEN, 1, 2);
const WISH: RedriveRequest = { step: null, resubmit: false, replace: true, accept: false, edited: null };

/** A batch of a spoken row, a dubbed one, and one whose speech is verified, in a new ledger for each test. */
export function takesForEachTest(): void {
  ledgerForEachTest(() => load([aRow(SPOKEN), aDub(DUBBED), aDub(CHECKED, { verify: 0.1 })]));
}

export function fileOf(row: number, take: number, step: Step = 'speech'): ResultFile {
  return { key: `b/${row}-${step}-${take}.mp3`, bytes: 3, sha256: String(take).repeat(64), extension: 'mp3' };
}

/** A step of a take is sent, and has its result. */
export async function make(row: number, take: number, step: Step = 'speech'): Promise<void> {
  const key = aKey(row, 1, take, step);
  const file = fileOf(row, take, step);
  const effect = row === SPOKEN || step === 'lip-sync' ? ({ outcome: 'succeeded', file } as const) : WAITING;
  if (step === 'verification') {
    await send(key);
    await settle(key, { verdict: 'done', file }, effect);
    return;
  }
  await accept(key);
  await finish(key, { file, credits: 4 }, effect);
}

/** Takes 1 and 2 of a row, both whole. */
export async function makeTwo(row: number): Promise<void> {
  const steps = { [SPOKEN]: ['speech'], [DUBBED]: ['speech', 'lip-sync'] }[row] ?? [
    'speech',
    'verification',
    'lip-sync',
  ];
  for (const take of [1, 2]) {
    if (take === 2) await redrive(row);
    for (const step of steps) await make(row, take, step as Step);
  }
}

/** The last step of a dubbed row is paid for again, and made. */
export async function makeAgain(row: number, take: number): Promise<void> {
  await redrive(row, { ...PAY, fromStep: 'lip-sync' });
  await make(row, take, 'lip-sync');
}

export async function goBack(row: number, to: number): Promise<void> {
  await redrive(row, backTo(to));
}

/** What a redrive would do with a row as it stands. */
export async function planOf(row: number, wish: Partial<RedriveRequest> = {}): Promise<RedrivePlan> {
  const found = await standing(row);
  return planRedrive(found.row, found.charges, { ...WISH, ...wish });
}

/** Take 2 of the spoken row is sent, and its answer is lost. */
export async function loseAnswer(): Promise<void> {
  await make(SPOKEN, 1);
  await redrive(SPOKEN);
  await lose(SECOND);
}

/** Take 1 of the spoken row has the job that a person has named, after its answer was lost. */
export async function makeByAdoption(): Promise<void> {
  await lose(SPOKEN);
  await adopt(SPOKEN, 'job-x');
  await finish(SPOKEN, { file: fileOf(SPOKEN, 1), credits: 4 });
}
