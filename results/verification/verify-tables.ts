import { join } from 'node:path';
import * as z from 'zod';
import { OUTCOMES, outcomeFile } from '../../contract/outcomes.ts';
import { RECEIPTS_JSONL, RESULTS_CSV, RESULTS_JSONL } from '../out-files.ts';
import type { Findings } from './mismatch.ts';
import { receiptSchema, type Receipt } from '../receipt.ts';
import { readCsvRows, readJsonRows, RowSource, type CsvRecord } from '../row-source.ts';
import type { Summary } from '../summary.ts';
import type { Tally } from '../tally.ts';
import { MediaCheck, type NamedFile } from './verify-media.ts';
import { makesFile } from '../../contract/row-kinds.ts';
import { type LineValue, csvCell } from '../line-formats.ts';
import { creditsKindOf, creditsOf, hasFile, resultSchema, wasMade } from '../result-line.ts';

/** What {@link checkTables} reads, and where it puts what it finds. */
export interface TableCheck {
  readonly folder: string;
  readonly summary: Summary;
  /** Names of the tables that exist; no line is expected in the others. */
  readonly present: ReadonlySet<string>;
  /** Filled with the rows and charges of the tables. */
  readonly tally: Tally;
  readonly findings: Findings;
}

/**
 * Reads all tables in step, row by row, and checks each row against its other lines, its receipts and its media.
 * Returns how many media files were read, and which are wrong.
 */
export async function checkTables(check: TableCheck): ReturnType<MediaCheck['finish']> {
  const { folder, summary, tally, findings } = check;
  const tables = openTables(check);
  const media = new MediaCheck(folder, findings);
  for (let row = 1; row <= summary.rows; row += 1) {
    const receipts = (await tables.receipts?.take(row)) ?? [];
    for (const { quoted, charged, charged_from, verdict, source } of receipts) {
      tally.addCharge({ quoted, charged, chargedFrom: charged_from, state: verdict, source });
    }
    const json = await takeOne(tables.json, row, 1, findings);
    const csv = await takeOne(tables.csv, row, 1, findings);
    if (json !== undefined) {
      tally.addRow(json._outcome === '' ? null : json._outcome, json._error_class);
      findings.compare(`row ${row}, _batch`, summary.batch, json._batch);
      if (csv !== undefined) compareRecord(RESULTS_CSV, csv, json, check);
      if (tables.receipts?.isBroken === false) {
        compareReceipts(json, receipts, findings);
        await media.add(row, mediaOf(json, receipts, findings));
      }
    }
    for (const [outcome, table] of tables.outcomes) {
      const record = await takeOne(table, row, json?._outcome === outcome ? 1 : 0, findings);
      if (record !== undefined && json?._outcome === outcome) compareRecord(table.name, record, json, check);
    }
  }
  for (const table of [tables.json, tables.csv, tables.receipts, ...tables.outcomes.values()]) {
    await table?.finish(summary.rows);
  }
  return media.finish();
}

/** The tables of an out folder; undefined if missing. */
interface Tables {
  readonly json: RowSource<JsonRow> | undefined;
  readonly csv: RowSource<CsvRecord> | undefined;
  readonly receipts: RowSource<Receipt> | undefined;
  /** Outcome files by outcome. */
  readonly outcomes: ReadonlyMap<string, RowSource<CsvRecord>>;
}

function openTables({ folder, summary, present, findings }: TableCheck): Tables {
  const csv = (name: string): RowSource<CsvRecord> =>
    new RowSource(name, readCsvRows(join(folder, name), summary.csv), findings);
  const outcomes = OUTCOMES.flatMap((outcome) => {
    const name = outcomeFile(outcome);
    return name !== undefined && present.has(name) ? [[outcome, csv(name)] as const] : [];
  });
  return {
    json: present.has(RESULTS_JSONL)
      ? new RowSource(RESULTS_JSONL, readJsonRows(join(folder, RESULTS_JSONL), '_row', jsonRowSchema), findings)
      : undefined,
    csv: present.has(RESULTS_CSV) ? csv(RESULTS_CSV) : undefined,
    receipts: present.has(RECEIPTS_JSONL)
      ? new RowSource(RECEIPTS_JSONL, readJsonRows(join(folder, RECEIPTS_JSONL), 'row', receiptSchema), findings)
      : undefined,
    outcomes: new Map<string, RowSource<CsvRecord>>(outcomes),
  };
}

/** Returns the line of a row in a table, which must have exactly `wanted` of them. */
async function takeOne<T>(
  table: RowSource<T> | undefined,
  row: number,
  wanted: 0 | 1,
  findings: Findings,
): Promise<T | undefined> {
  if (table === undefined) return undefined;
  const lines = await table.take(row);
  if (lines.length > wanted || (lines.length < wanted && !table.isBroken)) {
    const words = ['no line', 'one line'][lines.length] ?? `${lines.length} lines`;
    findings.add(`${table.name}, row ${row}`, wanted === 1 ? 'one line' : 'no line', words);
  }
  return lines[0];
}

/** A line of `results.jsonl`: strings for the input columns, and our own columns. */
export const jsonRowSchema = z
  .looseObject({
    ...resultSchema.shape,
    // Kinds and classes may come from another version.
    _kind: z.string(),
    _error_class: z.string(),
  })
  .refine((row) => Object.entries(row).every(([name, value]) => name.startsWith('_') || typeof value === 'string'), {
    message: 'input columns must be strings',
  });

/** A line of `results.jsonl`: result columns, and input cells as text. */
export type JsonRow = z.infer<typeof jsonRowSchema>;

/** Compares a record of a CSV file with the line of the same row in `results.jsonl`. */
function compareRecord(
  file: string,
  { header, cells }: CsvRecord,
  row: JsonRow,
  { summary, findings }: Pick<TableCheck, 'summary' | 'findings'>,
): void {
  const where = `${file}, row ${row._row}`;
  // Names of input columns are guarded like any other CSV cell.
  const { decimal } = summary.csv;
  const expected = new Map(
    Object.entries(row).map(([name, value]) => [csvCell(name), csvCell(value as LineValue, decimal)]),
  );
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

/** Compares what a row's line says about charges, takes and jobs with its receipts. */
function compareReceipts(row: JsonRow, receipts: readonly Receipt[], findings: Findings): void {
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

/** Checks that the attempts of each take count from 1 without a gap: each has a receipt, even if nothing was sent. */
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

/** Returns the media files of a row from its receipts; records contradictions with its line as findings. */
function mediaOf(row: JsonRow, receipts: readonly Receipt[], findings: Findings): readonly NamedFile[] {
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

/** Returns a text as it reads back from a file, which cannot hold a lone surrogate. */
function asUtf8(text: string): string {
  return Buffer.from(text).toString();
}
