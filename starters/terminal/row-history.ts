import { isRequestRemoved } from '../../batches/clean/clean-batch.ts';
import type { RowHistory } from '../../batches/look/explain.ts';
import { FAILURES, type Failure } from '../../contract/failures.ts';
import { partNumber } from '../../contract/row-parts.ts';
import { dialectOf } from '../../contract/row-kinds.ts';
import type { AttemptState } from '../../contract/outcomes.ts';
import type { ChargeRecord, DecisionRecord } from '../../ledger/record-types.ts';
import { CONFIRM_FIRST } from '../trust/stranger-words.ts';
import { isoTime, receiptsOf } from '../../results/receipt.ts';
import { inOrder } from '../../results/result-line.ts';
import { rowDialectWords } from './dialect-words.ts';
import { judgementWords } from './judgement-words.ts';
import { nextForRow } from './next-for-row.ts';
import { keptLines, partLines, partsJson } from './part-history.ts';
import { number } from './words.ts';
import { sourceWords } from './source-words.ts';
import { contentOf, pathOf } from './stored-words.ts';
import { clipped, indent, oneLine, tableLines, type TableColumn } from './table.ts';
import { takeJson, takeLines } from './take-history.ts';
import { awaitedWords, voiceFound } from './voice-words.ts';

/** The history of a row, with facts of this machine. */
export interface RowHistoryHere extends RowHistory {
  /** The batch's usual out folder has its current files. */
  readonly isWritten: boolean;
  /** True if it is certain that nobody works on the batch. */
  readonly isDeserted: boolean;
  /** True if the ledger may have come with the folder, so that no command is advised from it. */
  readonly isStranger: boolean;
  /** Folder of the store. Absolute. */
  readonly store: string;
}

/** Longest cell that is shown; `--json` shows all of it. */
const LONGEST_CELL = 200;
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

function nextOf(history: RowHistoryHere): string {
  return history.isStranger ? CONFIRM_FIRST : nextForRow(history);
}

/** The history of a row for people. */
export function historyLines(history: RowHistoryHere): readonly string[] {
  const { batch, row, files } = history;
  return [
    `${row.partOf === null ? `Row ${row.row}` : `Part ${partNumber(row.id)} of row ${row.partOf}`} of batch "${batch.name}": ${row.outcome ?? row.state}`,
    `  id ${oneLine(row.id)}, line ${row.line} of ${oneLine(batch.source)}, kind ${row.kind}${rowDialectWords(row.spec)}`,
    ...(voiceFound(row) === undefined ? [] : [`  speaks with voice ${oneLine(voiceFound(row) ?? '')}`]),
    ...(row.state === 'blocked' && row.parts === null ? [`  waits for ${awaitedWords(row)}`] : []),
    ...inputLines(history),
    ...partLines(history.parts),
    ...requestLines(history),
    ...(history.decisions.length === 0 ? [] : ['Decided by people', ...history.decisions.map(decisionLine)]),
    ...(row.failure === null ? [] : ['Failure', ...failureLines(row.failure)]),
    ...(row.text === null ? [] : ['Text', `  ${clipped(row.text, LONGEST_CELL)}`]),
    ...(files.length === 0 ? [] : ['Files in the out folder']),
    ...files.map(({ name, file }) => `  ${name}  ${contentOf(file)}`),
    ...keptLines(history),
    'Next',
    `  ${nextOf(history)}`,
  ];
}

function inputLines(history: RowHistoryHere): readonly string[] {
  const { batch, row } = history;
  if (isRequestRemoved(batch, row)) return ['Input: removed (voxbatch clean)'];
  const cells = Object.entries(inputOf(history)).map(([column, cell]) => ({ column, cell }));
  const columns: readonly TableColumn<(typeof cells)[number]>[] = [
    { title: 'column', value: ({ column }) => column },
    { title: 'cell', value: ({ cell }) => clipped(cell, LONGEST_CELL) },
  ];
  const filled = cells.filter(({ cell }) => cell !== '');
  return ['Input', ...indent(tableLines(columns, filled))];
}

/** The cells of a row; of a part, which has no line in the manifest, what it says. */
function inputOf({ batch, row }: RowHistoryHere): Readonly<Record<string, string>> {
  if (row.partOf !== null) return { text: row.spec.text ?? '' };
  return Object.fromEntries(batch.columns.map((column, at) => [column, row.input[at] ?? '']));
}

/** The history of a row for machines; attempts are as in `receipts.jsonl`, with their failures. */
export function historyJson(history: RowHistoryHere): object {
  const { batch, row, files } = history;
  const charges = inOrder(history);
  return {
    batch: batch.name,
    row: row.partOf ?? row.row,
    ...(row.partOf === null ? {} : { part: partNumber(row.id), path: pathOf(row.file, history.store) }),
    id: row.id,
    line: row.line,
    kind: row.kind,
    api_dialect: dialectOf(row.spec),
    state: row.state,
    outcome: row.outcome,
    voice: row.spec.voice ?? null,
    parts: partsJson(history),
    waits_for: row.state === 'blocked' && row.parts === null ? { voice: row.awaitedVoice, row: row.voiceRow } : null,
    input: inputOf(history),
    takes: history.takes.map((take) => takeJson(take, history.store)),
    attempts: receiptsOf(history, files).map((receipt, at) => ({ ...receipt, failure: charges[at]?.failure ?? null })),
    decisions: history.decisions.map(({ step, take, attempt, what, jobId, who, madeAt }) => {
      return { step, take, attempt, what: what.replace('-', '_'), job_id: jobId, who, made_at: isoTime(madeAt) };
    }),
    failure: row.failure,
    text: row.text,
    files: files.map(({ name, file: { bytes, sha256, unfit } }) => ({ name, bytes, sha256, ...(unfit && { unfit }) })),
    stored_file_lost: history.lost === null ? null : { is: history.lost.is, free: history.lost.isFree },
    updated_at: isoTime(row.updatedAt),
    ended_at: row.endedAt === null ? null : isoTime(row.endedAt),
    next: nextOf(history),
  };
}

/** All requests; if a row has several takes, each below its take. The parts of a row have takes of their own. */
function requestLines(history: RowHistoryHere): readonly string[] {
  const { row, charges, takes, store } = history;
  if (takes.length === 0 || row.parts !== null) {
    const none = `Paid requests: none${row.outcome === null ? ' so far' : ''}`;
    return [
      ...takes.flatMap((take) => takeLines(take, store)),
      charges.length === 0 ? none : 'Paid requests',
      ...inOrder(history).flatMap((charge) => attemptLines(charge, history)),
    ];
  }
  const ofTake = (take: number): readonly string[] => {
    const made = inOrder(history).filter((charge) => charge.take === take);
    if (made.length > 0) return made.flatMap((charge) => attemptLines(charge, history));
    return [row.outcome === null && row.take === take ? '  no request so far' : '  no request was made'];
  };
  return ['Take 1', ...ofTake(1), ...takes.flatMap((take) => [...takeLines(take, store), ...ofTake(take.take)])];
}

function attemptLines(charge: ChargeRecord, { row: { failure: last }, decisions, firstPart }: RowHistory): string[] {
  const part = firstPart === undefined ? '' : `part ${charge.row - firstPart + 1}, `;
  const lines = [
    `  ${part}${charge.step}, take ${charge.take}, attempt ${charge.attempt}: ${VERDICTS[charge.state]}`,
    `    started ${isoTime(charge.intentAt)}${timesOf(charge, decisions)}`,
    charge.state === 'cached'
      ? `    credits: nothing charged, ${credits(charge.quoted)} saved`
      : `    credits: quoted ${credits(charge.quoted)}, charged ${chargedOf(charge)}`,
    ...(charge.source === null ? [] : [`    ${sourceWords(charge.source)}`]),
  ];
  if (charge.jobId !== null) lines.push(`    job ${oneLine(charge.jobId)}`);
  if (charge.requestId !== null) lines.push(`    request ${oneLine(charge.requestId)} (for the API's support)`);
  if (charge.file?.unfit !== undefined && charge.failure === null) {
    lines.push(`    accepted by a person although it is ${oneLine(charge.file.unfit)}`);
  }
  if (charge.file?.oddity !== undefined) lines.push(`    ${charge.file.oddity}`);
  if (charge.judgement !== null) lines.push(`    ${judgementWords(charge.judgement)}`);
  if (charge.failure !== null) {
    // The row's failure is printed below in full; the API's words are not repeated.
    const isTold = last?.class === charge.failure.class && last.message.startsWith(charge.failure.message);
    lines.push(`    ${charge.failure.class}${isTold ? ', see below' : `: ${oneLine(charge.failure.message)}`}`);
  }
  return lines;
}

/** When the verdict and the end came. A person may decide days after the request: that is no time of the API's. */
function timesOf(charge: ChargeRecord, decisions: readonly DecisionRecord[]): string {
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

/** What happened at the verdict: not always an answer. */
function verdictWords({ state, failure }: ChargeRecord): string {
  if (state === 'cached') return ', reused after';
  if (state === 'revoked' || failure?.class === 'NotSent') return ', given up after';
  return state === 'unknown' || failure?.class === 'OutcomeUnknown' ? ', no clear answer after' : ', answered after';
}

function decisionLine({ step, take, attempt, what, jobId, who, madeAt }: DecisionRecord): string {
  const job = oneLine(jobId ?? '');
  const words = {
    adopted: `job ${job} is its own (--adopt)`,
    released:
      jobId === null ? 'it may have been charged after all (--release)' : `job ${job} is not its own (--release)`,
    'not-charged': 'it was not charged (--not-charged)',
    'went-back': "its result is the row's again (redrive --accept)",
  }[what];
  return `  ${isoTime(madeAt)}, ${oneLine(who)}, of ${step}, take ${take}, attempt ${attempt}: ${words}`;
}

function chargedOf({ state, charged, chargedFrom }: ChargeRecord): string {
  if (charged !== null && chargedFrom === null)
    return `${number(charged)} (its job belongs to another request and was paid there)`;
  if (charged !== null) return `${number(charged)} (${chargedFrom === 'api' ? "the API's figure" : 'our estimate'})`;
  switch (state) {
    case 'sending':
      return 'not known yet';
    case 'unknown':
      return 'perhaps';
    case 'accepted':
    case 'done':
      return 'an unknown amount';
    default:
      return 'nothing';
  }
}

function failureLines(failure: Failure): string[] {
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

function after(words: string, from: number, to: number | null): string {
  return to === null ? '' : `${words} ${((to - from) / 1_000).toFixed(1)} s`;
}

function credits(value: number | null): string {
  return value === null ? 'unknown' : number(value);
}
