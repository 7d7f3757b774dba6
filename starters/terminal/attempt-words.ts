import { isoTime } from '../../contract/times.ts';
import { join } from 'node:path';
import type { RowExplanation } from '../../client/rows/explain.ts';
import type { TakeResult } from '../../client/rows/row-view.ts';
import { FAILURES, type Failure } from '../../contract/failures.ts';
import type { AttemptState, TakeReason } from '../../contract/outcomes.ts';
import { clipped, oneLine } from './table.ts';
import { jobOrFile, number, plural, size } from './words.ts';

type Attempt = RowExplanation['charges'][number];
type Take = RowExplanation['takes'][number];
type Decision = RowExplanation['decisions'][number];
type StoredFile = NonNullable<RowExplanation['row']['file']>;

/**
 * Texts about a row's takes and paid requests, as `voxbatch explain` prints them.
 */

const VERDICTS: Readonly<Record<AttemptState, string>> = {
  sending: 'sending: no answer yet',
  accepted: 'accepted: the API created a job',
  done: 'done: the API answered with the result',
  'not-accepted': 'not accepted: certainly not charged, so the next attempt may be sent',
  rejected: 'rejected: the API refused it for good; nothing was charged',
  unknown: 'unknown: it may have been charged, so nothing is sent again',
  revoked: 'revoked: it was never sent',
  cached: 'cached: nothing was sent; an earlier result was used',
};

const REASONS: Readonly<Record<TakeReason, string>> = {
  redrive: 'redriven by a person',
  edited: 'redriven by a person with edited cells',
  resubmitted: 'sent again by a person, although the previous request may have been charged',
  retake: 'automatic retake after a failed job or an unfit result (--retakes)',
  'on-unknown': 'automatic resubmit after a lost answer (--on-unknown resubmit)',
};

/** Characters of a changed cell that are shown. */
const MAX_CELL = 60;
const REMOVED = 'since removed from the store';

/** Describes a take: when and why it was made, what it replaced, and which cells changed. */
export function takeLines(take: Take): readonly string[] {
  const keeps = take.kept.length === 0 ? '' : `; ${take.kept.join(', ')} kept`;
  const short = (cell: string): string => `"${clipped(cell, MAX_CELL)}"`;
  return [
    `Take ${take.take}, ${isoTime(take.madeAt)}: ${REASONS[take.reason]}; from ${take.fromStep} on${keeps}`,
    `  replaced ${beforeWords(take)}`,
    ...take.changes.map(({ column, from, to }) => `  ${oneLine(column)}: ${short(from)} → ${short(to)}`),
  ];
}

function beforeWords({ before: { outcome, failure } }: Take): string {
  const words = failure === null ? '' : ` (${failure.class}: ${oneLine(failure.message)})`;
  return `${outcome ?? 'a take that did not end the row'}${words}`;
}

/** Describes the result of a take, and whether it is in use. `store`: the absolute path of the store's folder. */
export function takeResultLine({ take, file, isInUse }: TakeResult, store: string): string {
  const place = file.removedAt === undefined ? `kept as ${join(store, file.key)}` : REMOVED;
  return `  take ${String(take)}${isInUse ? ' (in use)' : ''}: ${size(file.bytes)}, sha256 ${file.sha256}, ${place}`;
}

/** Describes a paid request and its result. */
export function attemptLines(charge: Attempt, history: RowExplanation): readonly string[] {
  const { row, decisions, firstPart } = history;
  const last = row.failure;
  const part = firstPart === undefined ? '' : `part ${charge.row - firstPart + 1}, `;
  // The row's failure is printed in full further down, so it is not repeated here.
  const isRowFailure = ({ class: name, message }: Failure): boolean =>
    last?.class === name && last.message.startsWith(message);
  const { failure, file } = charge;
  return [
    `  ${part}${charge.step}, take ${charge.take}, attempt ${charge.attempt}: ${VERDICTS[charge.state]}`,
    `    started ${isoTime(charge.intentAt)}${timesOf(charge, decisions)}`,
    charge.state === 'cached'
      ? `    credits: nothing charged, ${credits(charge.quoted)} saved`
      : `    credits: quoted ${credits(charge.quoted)}, ${chargedOf(charge)}`,
    ...(charge.source === null ? [] : [`    ${sourceWords(charge.source)}`]),
    ...(charge.jobId === null ? [] : [`    job ${oneLine(charge.jobId)}`]),
    ...(charge.requestId === null ? [] : [`    request ${oneLine(charge.requestId)} (for the API's support)`]),
    ...(file?.unfit !== undefined && failure === null
      ? [`    accepted by a person although it is ${oneLine(file.unfit)}`]
      : []),
    ...(file?.oddity === undefined ? [] : [`    ${file.oddity}`]),
    ...(charge.judgement === null ? [] : [`    ${judgementWords(charge.judgement)}`]),
    ...(failure === null
      ? []
      : [`    ${failure.class}${isRowFailure(failure) ? ', see below' : `: ${oneLine(failure.message)}`}`]),
  ];
}

/** Describes what a verification found: `heard 8 words, the text has 9: 22.2 % wrong (at most 25 %), 1 in a row`. */
export function judgementWords({ error, run, words, heard, threshold }: NonNullable<Attempt['judgement']>): string {
  const percent = (share: number): string => `${String(Math.round(share * 1_000) / 10)} %`;
  return `heard ${plural(heard, 'word')}, the text has ${String(words)}: ${percent(error)} wrong (at most ${percent(threshold)}), ${String(Math.round(run))} in a row`;
}

/** Describes which earlier result was used, or could not be. */
export function sourceWords({ is, from, jobId, madeAt }: Omit<NonNullable<Attempt['source']>, 'credits'>): string {
  const job = jobId === null ? '' : `, job ${oneLine(jobId)}`;
  const which = `the ${from.step} of row ${String(from.row)} of batch "${oneLine(from.batch)}" (take ${String(from.take)}${job}, ${isoTime(madeAt)})`;
  return is === 'used' ? `result: that of ${which}` : `made because the file of ${which} is ${is}`;
}

/**
 * Returns the times of the verdict and the end, as durations. If a person settled the request, the time of day is given
 * instead: it may be days later and says nothing about the API's speed.
 */
function timesOf(charge: Attempt, decisions: readonly Decision[]): string {
  const { intentAt, verdictAt, finishedAt } = charge;
  const decided = decisions.findLast(
    ({ step, take, attempt, what }) =>
      step === charge.step && take === charge.take && attempt === charge.attempt && what !== 'went-back',
  );
  if (decided === undefined)
    return after(verdictWords(charge), intentAt, verdictAt) + after(', ended after', intentAt, finishedAt);
  const what = decided.what === 'released' ? 'in doubt again by' : 'settled by';
  return `, ${what} a person ${isoTime(decided.madeAt)}${finishedAt === null ? '' : `, ended ${isoTime(finishedAt)}`}`;
}

/** Returns what led to the verdict, which is not always an answer. */
function verdictWords({ state, failure }: Attempt): string {
  if (state === 'cached') return ', reused after';
  if (state === 'revoked' || failure?.class === 'NotSent') return ', given up after';
  return state === 'unknown' || failure?.class === 'OutcomeUnknown' ? ', no clear answer after' : ', answered after';
}

/** Describes a person's decision about a request. */
export function decisionLine({ step, take, attempt, what, jobId, who, madeAt }: Decision): string {
  const job = jobOrFile(jobId ?? '');
  const words = {
    adopted: `${job} is its own (--adopt)`,
    released: jobId === null ? 'it may have been charged after all (--release)' : `${job} is not its own (--release)`,
    'not-charged': 'it was not charged (--not-charged)',
    'went-back': "its result is the row's again (redrive --accept)",
  }[what];
  return `  ${isoTime(madeAt)}, ${oneLine(who)}, of ${step}, take ${take}, attempt ${attempt}: ${words}`;
}

function chargedOf({ state, charged, chargedFrom }: Attempt): string {
  if (charged !== null && chargedFrom === null)
    return `charged ${number(charged)} (its job belongs to another request and was paid there)`;
  if (charged !== null)
    return `charged ${number(charged)} (${chargedFrom === 'api' ? "the API's figure" : 'our estimate'})`;
  switch (state) {
    case 'sending':
      return 'charge not known yet';
    case 'unknown':
      return 'may have been charged';
    case 'accepted':
    case 'done':
      return 'charged an unknown amount';
    default:
      return 'not charged';
  }
}

/** Describes a failure, its cause, and how voxbatch reacts. */
export function failureLines(failure: Failure): readonly string[] {
  const facts = [
    failure.status === undefined ? '' : `HTTP ${failure.status}`,
    failure.code === undefined ? '' : `code ${failure.code}`,
  ].filter((fact) => fact !== '');
  const { from, then } = FAILURES[failure.class];
  return [
    `  ${failure.class}: ${oneLine(failure.message)}${facts.length === 0 ? '' : ` (${oneLine(facts.join(', '))})`}`,
    `  Cause: ${from}.`,
    `  Then: ${then}.`,
  ];
}

/** Returns the size and hash of a stored file, and whether it was removed since. */
export function contentOf({ bytes, sha256, removedAt }: StoredFile): string {
  return `${size(bytes)}, sha256 ${sha256}${removedAt === undefined ? '' : `, ${REMOVED}`}`;
}

function after(words: string, from: number, to: number | null): string {
  return to === null ? '' : `${words} ${((to - from) / 1_000).toFixed(1)} s`;
}

function credits(value: number | null): string {
  return value === null ? 'unknown' : number(value);
}
