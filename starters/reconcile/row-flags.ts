import type { NamedJob } from '../../batches/adopt-job.ts';
import { findRow } from '../../batches/choose-rows.ts';
import { findTake, type RowTake } from '../../batches/find-take.ts';
import { unknownRows } from '../../batches/settle-unknown.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import type { BatchRecord } from '../../ledger/record-types.ts';
import { type ExitError, unchangedError } from '../exit-error.ts';
import { shellWord } from '../go-on-command.ts';

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
    if (word === '' || jobId === '')
      throw unchangedError(`--adopt ${text}: expected ROW=JOB, as in --adopt r7=job-1f3a.`);
    const found = await requireTake(ledger, batch, word);
    if (adoptions.some(({ row, take }) => row === found.row && take === found.take))
      throw unchangedError(`--adopt names row ${word} twice; a row has one job.`);
    if (adoptions.some((one) => one.jobId === jobId))
      throw unchangedError(`--adopt names job ${jobId} twice; a job belongs to one row.`);
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
      throw unchangedError(
        `--resubmit ${word}: the row is not unknown. To run other rows again: voxbatch redrive ${shellWord(batch.name)} --rows ${shellWord(word)}.`,
      );
    }
    rows.add(row);
  }
  return [...rows].sort((a, b) => a - b);
}

async function requireRow(ledger: Ledger, batch: BatchRecord, word: string): Promise<number> {
  const row = await findRow(ledger, batch, word);
  if (row === undefined) throw noRow(batch, word);
  return row;
}

async function requireTake(ledger: Ledger, batch: BatchRecord, text: string): Promise<RowTake> {
  const found = await findTake(ledger, batch, text);
  switch (found.type) {
    case 'found':
      return found;
    case 'no-row':
      throw noRow(batch, found.word);
    case 'no-take': {
      const { word, take, takes } = found;
      throw unchangedError(
        `Row "${word}" has had ${String(takes)} ${takes === 1 ? 'take' : 'takes'}, not ${String(take)}.`,
      );
    }
  }
}

function noRow(batch: BatchRecord, word: string): ExitError {
  return unchangedError(
    `Batch "${batch.name}" has no row "${word}". Expected an id, or a number from 1 to ${String(batch.rows)}.`,
  );
}
