import type { Ledger } from '../ledger/ledger.ts';
import type { BatchRecord } from '../ledger/record-types.ts';
import { ExitError } from './exit-error.ts';
import { shellWord } from './go-on-command.ts';
import { findRow, selectRows } from '../batches/choose-rows.ts';

/** Rows of which it is not known whether they were charged, whatever that was called. */
export async function unknownRows(ledger: Ledger, batch: string): Promise<readonly number[]> {
  const rows: number[] = [];
  for (const choice of [{ outcomes: ['unknown'] }, { outcomes: ['failed'], classes: ['OutcomeUnknown'] }] as const) {
    for await (const { row } of selectRows(ledger, batch, choice)) rows.push(row.row);
  }
  return rows.sort((a, b) => a - b);
}

/** A row, or one of its takes. */
export interface RowTake {
  readonly row: number;
  /** Undefined: the take that the row is at. */
  readonly take?: number;
  /** As it was typed. */
  readonly word: string;
}

/** A row's take and the job that is said to be its own. */
export type NamedJob = RowTake & { readonly jobId: string };

/** `ROW=JOB` or `ROW/TAKE=JOB`: the row is an id or a number. Ids may have an equals sign, job ids have none. */
export async function readAdoptions(
  ledger: Ledger,
  batch: BatchRecord,
  texts: readonly string[],
): Promise<readonly NamedJob[]> {
  const adoptions: NamedJob[] = [];
  for (const text of texts) {
    const at = text.lastIndexOf('=');
    const [word, jobId] = [text.slice(0, Math.max(at, 0)).trim(), text.slice(at + 1).trim()];
    if (word === '' || jobId === '') throw usage(`--adopt ${text}: expected ROW=JOB, as in --adopt r7=job-1f3a.`);
    const found = await requireTake(ledger, batch, word);
    if (adoptions.some(({ row, take }) => row === found.row && take === found.take))
      throw usage(`--adopt names row ${word} twice: a row has one job.`);
    if (adoptions.some((one) => one.jobId === jobId))
      throw usage(`--adopt names job ${jobId} twice: a job is of one row.`);
    adoptions.push({ ...found, jobId });
  }
  return adoptions;
}

/** `ROW` or `ROW/TAKE`, with commas between several. */
export async function readTakes(
  ledger: Ledger,
  batch: BatchRecord,
  texts: readonly string[],
): Promise<readonly RowTake[]> {
  const takes: RowTake[] = [];
  for (const word of texts.flatMap((text) => text.split(',')).map((each) => each.trim())) {
    if (word !== '') takes.push(await requireTake(ledger, batch, word));
  }
  return takes;
}

/** Rows to be paid for again, by number. Throws an {@link ExitError} for one that is not unknown. */
export async function rowsToResubmit(
  ledger: Ledger,
  batch: BatchRecord,
  texts: readonly string[],
): Promise<readonly number[]> {
  const unknown = new Set(texts.length === 0 ? [] : await unknownRows(ledger, batch.name));
  const rows = new Set<number>();
  for (const word of texts.flatMap((text) => text.split(',')).filter((each) => each.trim() !== '')) {
    const row = await requireRow(ledger, batch, word.trim());
    if (!unknown.has(row)) {
      throw usage(
        `--resubmit ${word}: the row is not unknown. Other rows are run again by: voxbatch redrive ${shellWord(batch.name)} --rows ${shellWord(word)}.`,
      );
    }
    rows.add(row);
  }
  return [...rows].sort((a, b) => a - b);
}

async function requireRow(ledger: Ledger, batch: BatchRecord, word: string): Promise<number> {
  const row = await findRow(ledger, batch, word);
  if (row !== undefined) return row;
  throw usage(
    `Batch "${batch.name}" has no row "${word}". Expected an id, or a number from 1 to ${String(batch.rows)}.`,
  );
}

/** An id may itself have a slash. */
async function requireTake(ledger: Ledger, batch: BatchRecord, word: string): Promise<RowTake> {
  const parts = /^(.+)\/([1-9]\d{0,5})$/u.exec(word);
  if (parts === null || (await findRow(ledger, batch, word)) !== undefined)
    return { row: await requireRow(ledger, batch, word), word };
  const row = await requireRow(ledger, batch, parts[1] ?? '');
  const take = Number(parts[2]);
  const last = (await ledger.readRow(batch.name, row))?.row.take ?? 1;
  if (take > last)
    throw usage(
      `Row "${parts[1] ?? ''}" has had ${String(last)} ${last === 1 ? 'take' : 'takes'}, not ${String(take)}.`,
    );
  return { row, take, word };
}

function usage(message: string): ExitError {
  return new ExitError('usage', `${message} Nothing was changed, nothing was spent.`);
}
