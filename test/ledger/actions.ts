import { expect } from '@jest/globals';
import type { AttemptKey } from '../../contract/batch.ts';
import type { Failure } from '../../contract/failures.ts';
import { parseHalt } from '../../contract/halt.ts';
import type { IntentAnswer, Intent } from '../../ledger/requests/intent-records.ts';
import type { SettleVerdict } from '../../ledger/requests/settle.ts';
import type { ResultFile } from '../../ledger/records.ts';
import type { RowEffect, RowEnding } from '../../ledger/rows/row-effects.ts';
import type { RedriveChoice, Redriven } from '../../ledger/takes/redrive.ts';
import { inside } from './inside.ts';
import { rowOf } from './readings.ts';
import { aKey, INTENT, ledger } from './setup.ts';
import { ANN } from '../support/ann.ts';

/** What lanes and people do with rows of the ledger of the test. A number is the first request of that row of the batch `b`. */
export type At = number | AttemptKey;

export const FILE: ResultFile = { key: 'b/1-speech-1.mp3', bytes: 3, sha256: 'ab', extension: 'mp3' };
export const LOST: Failure = { class: 'OutcomeUnknown', message: 'No answer came.' };
export const REFUSED: Failure = { class: 'BadRequest', message: 'No.' };
export const JOB_FAILED: Failure = { class: 'JobFailed', message: 'The job failed.' };
const LATE: Failure = { class: 'Overdue', message: 'Late.' };
export const GONE: Failure = { class: 'ResultGone', message: 'lost', cause: 'a stored file is missing' };
export const UNFIT: Failure = { class: 'Unfit', message: 'It is silent.' };
export const FAILED = { outcome: 'failed', failure: JOB_FAILED } as const;
export const UNKNOWN = { outcome: 'unknown', failure: LOST } as const;
export const OVERDUE = { outcome: 'overdue', failure: LATE } as const;
const PROCESSING = { state: 'processing' } as const;
export const WAITING = { state: 'waiting' } as const;

const keyOf = (at: At): AttemptKey => (typeof at === 'number' ? aKey(at) : at);

/** Asks whether the request may be sent. */
export async function ask(at: At, intent: Partial<Intent> = {}): Promise<IntentAnswer['type']> {
  return (await ledger.intend(keyOf(at), { ...INTENT, ...intent })).type;
}

export async function send(at: At, intent?: Partial<Intent>): Promise<void> {
  expect(await ask(at, intent)).toBe('go');
}

/** Records the answer to a request that was sent; tells whether that changed anything. */
export async function settle(at: At, verdict: SettleVerdict, effect: RowEffect = PROCESSING): Promise<boolean> {
  return (await ledger.settle(keyOf(at), verdict, effect)).settled;
}

/** Records that the API has made a job of it: of its own id, if nothing else is said. */
export async function answer(at: At, more: Partial<SettleVerdict> = {}): Promise<boolean> {
  const { batch, row, step, take } = keyOf(at);
  const jobId = `${batch === 'b' ? '' : `${batch}-`}${step === 'speech' ? 'j' : step}${row}${take === 1 ? '' : `-${take}`}`;
  return settle(at, { verdict: 'accepted', jobId, ...more });
}

/** Sends it, and the API makes a job of it. */
export async function accept(at: At, more?: Partial<SettleVerdict>, intent?: Partial<Intent>): Promise<void> {
  await send(at, intent);
  await answer(at, more);
}

/** Sends it, and no answer comes. */
export async function lose(
  at: At,
  failure = LOST,
  effect: RowEffect = { outcome: 'unknown', failure },
  intent?: Partial<Intent>,
): Promise<void> {
  await send(at, intent);
  await settle(at, { verdict: 'unknown', failure }, effect);
}

/** Sends it, and the API refuses it for good. */
export async function reject(at: At, failure = REFUSED): Promise<void> {
  await send(at);
  await settle(at, { verdict: 'rejected', failure }, { outcome: 'failed', failure });
}

/** Sends it, and the API does not take it for now. */
export async function defer(at: At, intent?: Partial<Intent>): Promise<void> {
  await send(at, intent);
  await settle(at, { verdict: 'not-accepted', failure: REFUSED }, WAITING);
}

/** Sends it, and the answer is the result. */
export async function complete(
  at: At,
  more: Partial<SettleVerdict> & Partial<RowEnding> = {},
  intent?: Partial<Intent>,
): Promise<void> {
  const { extraFiles, text, ...verdict } = more;
  const { file } = verdict;
  await send(at, intent);
  const ending = { ...(file && { file }), ...(extraFiles && { extraFiles }), ...(text && { text }) };
  await settle(at, { verdict: 'done', ...verdict }, { outcome: 'succeeded', ...ending });
}

interface JobEnd {
  readonly file?: ResultFile;
  readonly failure?: Failure;
  readonly credits?: number;
}

/** Records that its job has ended, and the row with it; tells whether that changed anything. */
export async function finish(at: At, end: JobEnd = {}, effect?: RowEffect): Promise<boolean> {
  const { file, failure } = end;
  const ending: RowEnding = failure ? { outcome: 'failed', failure } : { outcome: 'succeeded', ...(file && { file }) };
  return (await ledger.finishJob(keyOf(at), end, effect ?? ending)).finished;
}

/** The whole way of a row with a result. */
export async function succeed(at: At, credits?: number, file = FILE): Promise<void> {
  await accept(at);
  await finish(at, { file, ...(credits === undefined ? {} : { credits }) });
}

/** The whole way of a row whose job fails. */
export async function fail(at: At, failure = JOB_FAILED): Promise<void> {
  await accept(at);
  await finish(at, { failure });
}

/** Nobody waits for its job any longer. */
export async function giveUpWaiting(at: At): Promise<void> {
  await ledger.changeRunning(keyOf(at), OVERDUE);
}

export const PAY = { type: 'pay', fromStep: 'speech', reason: 'redrive' } as const;
export const RESUBMIT = { ...PAY, reason: 'resubmitted' } as const;
export const WAIT = { type: 'wait' } as const;
export const WHO = ANN.actor.name;

/** To go back to an earlier take. */
export function backTo(take: number, more: { isLost?: true; text?: string } = {}): RedriveChoice['how'] {
  return { type: 'accept', earlier: { take, ...more } };
}

/** A person who has just looked has these rows run again. */
export async function redrive(
  rows: number | readonly number[],
  how: RedriveChoice['how'] = PAY,
  more: Partial<RedriveChoice> = {},
): Promise<Redriven> {
  const choices = [rows].flat().map(async (row) => {
    const { take, outcome } = await rowOf(row);
    return { row, take, outcome: outcome ?? 'failed', how, ...more };
  });
  return ledger.redrive('b', await Promise.all(choices), ANN);
}

export const adopt = (at: At, jobId: string): Promise<boolean> =>
  ledger.decide(keyOf(at), { type: 'adopted', jobId }, ANN);
export const release = (at: At, jobId: string): Promise<boolean> =>
  ledger.decide(keyOf(at), { type: 'released', jobId }, ANN);

/** The batch is to stop: what was not sent is cancelled. */
export async function stop(): Promise<void> {
  await ledger.setControl('b', 'stopping');
  await ledger.cancelRest('b');
}

/** Ends rows as in a batch that is being stopped, which then goes on after all: what ends rows in its midst. Tells how many. */
export async function stopForAMoment(batch: string): Promise<number> {
  await ledger.setControl(batch, 'stopping');
  const ended = await ledger.cancelRest(batch);
  await inside(ledger, (db) =>
    db.updateTable('batches').set({ control: 'running' }).where('name', '=', batch).execute(),
  );
  return ended;
}

export async function haltAt(policy: string): Promise<void> {
  const halt = parseHalt(policy);
  if (halt === undefined) throw new Error(`not a policy: ${policy}`);
  await ledger.tune('b', { halt });
}
