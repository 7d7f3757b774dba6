import type { Ledger } from '../ledger/ledger.ts';
import type { BatchRecord } from '../ledger/record-types.ts';
import { ExitError } from './exit-error.ts';
import { shellWord } from './go-on-command.ts';
import { findRow, selectRows } from './select-rows.ts';

/** Rows of which it is not known whether they were charged, whatever that was called. */
export async function unknownRows(ledger: Ledger, batch: string): Promise<readonly number[]> {
  const rows: number[] = [];
  for (const choice of [{ outcomes: ['unknown'] }, { outcomes: ['failed'], classes: ['OutcomeUnknown'] }] as const) {
    for await (const { row } of selectRows(ledger, batch, choice)) rows.push(row.row);
  }
  return rows.sort((a, b) => a - b);
}

/** `ROW=JOB`: the row is an id or a number. Ids may have an equals sign, job ids have none. */
export async function readAdoptions(
  ledger: Ledger,
  batch: BatchRecord,
  texts: readonly string[],
): Promise<ReadonlyMap<number, string>> {
  const adoptions = new Map<number, string>();
  for (const text of texts) {
    const at = text.lastIndexOf('=');
    const [word, jobId] = [text.slice(0, Math.max(at, 0)).trim(), text.slice(at + 1).trim()];
    if (word === '' || jobId === '') throw usage(`--adopt ${text}: expected ROW=JOB, as in --adopt r7=job-1f3a.`);
    const row = await requireRow(ledger, batch, word);
    if (adoptions.has(row)) throw usage(`--adopt names row ${word} twice: a row has one job.`);
    if ([...adoptions.values()].includes(jobId)) throw usage(`--adopt names job ${jobId} twice: a job is of one row.`);
    adoptions.set(row, jobId);
  }
  return adoptions;
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

function usage(message: string): ExitError {
  return new ExitError('usage', `${message} Nothing was changed, nothing was spent.`);
}
