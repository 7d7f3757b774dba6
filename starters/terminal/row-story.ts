import { FAILURES, type Failure } from '../../contract/failures.ts';
import type { AttemptState } from '../../contract/outcomes.ts';
import type { BatchRecord, ChargeRecord } from '../../ledger/ledger.ts';
import { isoTime, receiptsOf } from '../../results/receipt.ts';
import { inOrder, type RowFile, type ScannedRow } from '../../results/result-line.ts';
import { goOnCommand } from '../go-on-command.ts';
import { number } from './progress.ts';
import { oneLine, tableLines } from './table.ts';

/** A row with everything that is on record about it. */
export interface RowStory extends ScannedRow {
  readonly batch: BatchRecord;
  /** Its files, below the out folder. */
  readonly files: readonly RowFile[];
}

/** Longest cell that is shown; `--json` shows all of it. */
const LONGEST_CELL = 200;

const VERDICTS: Readonly<Record<AttemptState, string>> = {
  sending: 'sending: the answer is not there yet',
  accepted: 'accepted: the API made a job of it',
  done: 'done: the API answered with the result',
  'not-accepted': 'not accepted: certainly not taken, so the next attempt may be made',
  rejected: 'rejected: the API refused it for good, nothing was charged',
  unknown: 'unknown: it may have been taken and charged, so nothing is sent again',
  revoked: 'revoked: it was never sent',
};

/** The story of a row for people. */
export function storyLines(story: RowStory): readonly string[] {
  const { batch, row, charges, files } = story;
  const cells = batch.columns.map((column, at) => ({ column, cell: row.input[at] ?? '' }));
  return [
    `Row ${row.row} of batch "${batch.name}": ${row.outcome ?? row.state}`,
    `  id ${oneLine(row.id)}, line ${row.line} of ${oneLine(batch.source)}, kind ${row.kind}`,
    'Input',
    ...indent(
      tableLines(
        [
          { title: 'column', value: ({ column }) => column },
          { title: 'cell', value: ({ cell }) => short(cell) },
        ],
        cells.filter(({ cell }) => cell !== ''),
      ),
    ),
    charges.length === 0 ? 'Paid requests: none so far' : 'Paid requests',
    ...inOrder(story).flatMap(attemptLines),
    ...(row.failure === null ? [] : ['Failure', ...failureLines(row.failure)]),
    ...(row.text === null ? [] : ['Text', `  ${short(row.text)}`]),
    ...(files.length === 0 ? [] : ['Files, below the out folder']),
    ...files.map(({ name, file }) => `  ${name}  ${number(file.bytes)} bytes, sha256 ${file.sha256}`),
    'Next',
    `  ${nextStep(story)}`,
  ];
}

/** The story of a row for machines; attempts are as in `receipts.jsonl`, with their failures. */
export function storyJson(story: RowStory): object {
  const { batch, row, files } = story;
  const charges = inOrder(story);
  return {
    batch: batch.name,
    row: row.row,
    id: row.id,
    line: row.line,
    kind: row.kind,
    state: row.outcome === null ? row.state : null,
    outcome: row.outcome,
    input: Object.fromEntries(batch.columns.map((column, at) => [column, row.input[at] ?? ''])),
    attempts: receiptsOf(story, files).map((receipt, at) => ({ ...receipt, failure: charges[at]?.failure ?? null })),
    failure: row.failure,
    text: row.text,
    files: files.map(({ name, file }) => ({ name, bytes: file.bytes, sha256: file.sha256 })),
    updated_at: isoTime(row.updatedAt),
    ended_at: row.endedAt === null ? null : isoTime(row.endedAt),
    next: nextStep(story),
  };
}

function attemptLines(charge: ChargeRecord): string[] {
  const lines = [
    `  ${charge.step}, take ${charge.take}, attempt ${charge.attempt}: ${VERDICTS[charge.state]}`,
    `    begun ${isoTime(charge.intentAt)}${after(', answered after', charge.intentAt, charge.verdictAt)}` +
      after(', over after', charge.intentAt, charge.finishedAt),
    `    credits: quoted ${credits(charge.quoted)}, charged ${chargedOf(charge)}`,
  ];
  if (charge.jobId !== null) lines.push(`    job ${oneLine(charge.jobId)}`);
  if (charge.requestId !== null) lines.push(`    request ${oneLine(charge.requestId)} (for the API's support)`);
  if (charge.failure !== null) lines.push(`    ${charge.failure.class}: ${oneLine(charge.failure.message)}`);
  return lines;
}

function chargedOf({ state, charged, chargedFrom }: ChargeRecord): string {
  if (charged !== null) return `${number(charged)} (${chargedFrom === 'api' ? "the API's figure" : 'our quote'})`;
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
    `  That class means: ${from}.`,
    `  What follows: ${then}.`,
  ];
}

/** What a person can do about the row. */
function nextStep({ batch, row }: RowStory): string {
  switch (row.outcome) {
    case 'succeeded':
    case 'cached':
      return `Nothing. Its files are written by: voxbatch results ${batch.name}`;
    case 'failed':
      return 'Mend its cells in a manifest of their own and run that under a new --name; that is a new request at a new price.';
    case 'unknown':
      return 'Look into the account whether the request was charged. It is not sent again by itself, since that could be charged twice.';
    case 'overdue':
      return 'The job is still at the API under the id above; it was accepted, so sending it again would be charged again.';
    case 'cancelled':
    case 'refused':
    case 'rejected':
      return 'Run it in a manifest of its own under a new --name, if it is wanted after all.';
    case null:
      if (batch.control === 'paused') return `The batch is paused. Go on with: voxbatch resume ${batch.name}`;
      return `It is in the works. If nothing works on the batch, go on with: ${goOnCommand(batch)}`;
  }
}

function after(words: string, from: number, to: number | null): string {
  return to === null ? '' : `${words} ${((to - from) / 1_000).toFixed(1)} s`;
}

function credits(value: number | null): string {
  return value === null ? 'unknown' : number(value);
}

function short(cell: string): string {
  const line = oneLine(cell);
  return line.length > LONGEST_CELL ? `${line.slice(0, LONGEST_CELL)}…` : line;
}

function indent(lines: readonly string[]): readonly string[] {
  return lines.map((line) => `  ${line}`);
}
