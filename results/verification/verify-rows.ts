import * as z from 'zod';
import { makesFile } from '../../contract/row-kinds.ts';
import type { LineValue } from '../line-formats.ts';
import { csvCell } from '../line-formats.ts';
import type { Findings } from './mismatch.ts';
import type { Receipt } from '../receipt.ts';
import { creditsKindOf, creditsOf, hasFile, resultSchema, wasMade } from '../result-line.ts';
import type { CsvRecord } from '../row-source.ts';

/** A line of `results.jsonl`: strings for the input columns, and our own columns. */
export const jsonRowSchema = z
  .looseObject({
    ...resultSchema.shape,
    // Kinds and classes may come from another version.
    _kind: z.string(),
    _error_class: z.string(),
    // Earlier versions did not write it.
    _seconds: resultSchema.shape._seconds.optional(),
  })
  .refine((row) => Object.entries(row).every(([name, value]) => name.startsWith('_') || typeof value === 'string'), {
    message: 'input columns must be strings',
  });

export type JsonRow = z.infer<typeof jsonRowSchema>;

/** Compares a record of a CSV file with the line of the same row in `results.jsonl`. */
export function compareRecord(file: string, { header, cells }: CsvRecord, row: JsonRow, findings: Findings): void {
  const where = `${file}, row ${row._row}`;
  // Names of input columns are guarded like any other CSV cell.
  const expected = new Map(Object.entries(row).map(([name, value]) => [csvCell(name), csvCell(value as LineValue)]));
  findings.compare(`${where}, number of columns`, expected.size, header.length);
  header.forEach((name, index) => {
    const cell = cells[index] ?? '';
    const wanted = expected.get(name);
    if (wanted === undefined) findings.add(`${where}, ${name}`, 'no such column', JSON.stringify(cell));
    else if (wanted !== cell && asUtf8(wanted) !== cell) {
      findings.add(`${where}, ${name}`, JSON.stringify(wanted), JSON.stringify(cell));
    }
  });
}

/** Checks a row's claims against its receipts. */
export function compareReceipts(row: JsonRow, receipts: readonly Receipt[], findings: Findings): void {
  const where = `row ${row._row}`;
  const charges = receipts.map((receipt) => ({
    state: receipt.verdict,
    charged: receipt.charged,
    chargedFrom: receipt.charged_from,
  }));
  findings.compareCredits(`${where}, _credits`, creditsOf(charges), row._credits);
  findings.compare(`${where}, _credits_kind`, creditsKindOf(charges), row._credits_kind);
  const sent = receipts.filter((receipt) => receipt.take === row._take && wasMade(receipt.verdict));
  findings.compare(`${where}, _attempts`, sent.length, row._attempts);
  const latest = Math.max(row._take, ...receipts.map((receipt) => receipt.take));
  findings.compare(`${where}, _take`, latest, row._take);
  const jobIds = receipts.flatMap((receipt) => receipt.job_id ?? []);
  findings.compare(`${where}, _job_ids`, jobIds.join(' '), row._job_ids.join(' '));
  compareAttempts(where, receipts, findings);
}

/** Attempts of a take count from 1, and each has a receipt, even if nothing was sent. */
function compareAttempts(where: string, receipts: readonly Receipt[], findings: Findings): void {
  const attempts = new Map<string, number[]>();
  for (const { part, step, take, attempt } of receipts) {
    const name = `${part === undefined ? '' : `part ${part}, `}${step}, take ${take}`;
    attempts.set(name, [...(attempts.get(name) ?? []), attempt]);
  }
  for (const [name, numbers] of attempts) {
    if (numbers.every((number, index) => number === index + 1)) continue;
    findings.add(`${where}, receipts of ${name}`, 'attempts 1, 2 and so on', numbers.slice(0, 20).join(', '));
  }
}

/** A file that must be in the folder. */
export interface NamedFile {
  readonly name: string;
  readonly bytes: number;
  readonly sha256: string;
}

/** The media files of a row with their hashes, from its receipts; records contradictions as findings. */
export function mediaOf(row: JsonRow, receipts: readonly Receipt[], findings: Findings): readonly NamedFile[] {
  const where = `row ${row._row}`;
  const isFiled = makesFile(row._kind);
  if (row._file === '' && isFiled && hasFile(row._outcome)) findings.add(`${where}, _file`, 'a result file', 'none');
  if (row._text === '' && !isFiled && hasFile(row._outcome)) findings.add(`${where}, _text`, 'an id', 'none');
  const files = receipts
    .flatMap((receipt) => [receipt.file ?? [], receipt.extra_files].flat())
    .flatMap(({ name, bytes, sha256 }) => (name === null ? [] : { name, bytes, sha256 }));
  if (row._file === '' && files[0] !== undefined) findings.add(`${where}, _file`, files[0].name, 'none');
  if (row._file !== '' && !files.some(({ name }) => name === row._file)) {
    findings.add(`${where}, ${row._file}`, 'a receipt that names this file', 'none');
  }
  return files;
}

/** A text as it reads back from a file, which cannot hold a lone surrogate. */
function asUtf8(text: string): string {
  return Buffer.from(text).toString();
}
