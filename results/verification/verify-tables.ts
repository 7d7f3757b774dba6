import { join } from 'node:path';
import { OUTCOMES, outcomeFile } from '../../contract/outcomes.ts';
import { RECEIPTS_JSONL, RESULTS_CSV, RESULTS_JSONL } from '../batch-files.ts';
import type { Findings } from './mismatch.ts';
import { receiptSchema } from '../receipt.ts';
import type { Receipt } from '../receipt.ts';
import { readCsvRows, readJsonRows, RowSource } from '../row-source.ts';
import type { CsvRecord } from '../row-source.ts';
import type { Summary } from '../summary.ts';
import type { Tally } from '../tally.ts';
import { MediaCheck } from './verify-media.ts';
import { compareReceipts, compareRecord, jsonRowSchema, mediaOf } from './verify-rows.ts';
import type { JsonRow } from './verify-rows.ts';

/** Input of the table check. */
export interface TableCheck {
  readonly folder: string;
  readonly summary: Summary;
  /** Names of the tables that exist; no line is expected in the others. */
  readonly present: ReadonlySet<string>;
  /** Counts what is found. */
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
      if (csv !== undefined) compareRecord(RESULTS_CSV, csv, json, findings);
      if (tables.receipts?.isBroken === false) {
        compareReceipts(json, receipts, findings);
        await media.add(row, mediaOf(json, receipts, findings));
      }
    }
    for (const [outcome, table] of tables.outcomes) {
      const record = await takeOne(table, row, json?._outcome === outcome ? 1 : 0, findings);
      if (record !== undefined && json?._outcome === outcome) compareRecord(table.name, record, json, findings);
    }
  }
  for (const table of [tables.json, tables.csv, tables.receipts, ...tables.outcomes.values()]) {
    await table?.finish(summary.rows);
  }
  return media.finish();
}

interface Tables {
  readonly json: RowSource<JsonRow> | undefined;
  readonly csv: RowSource<CsvRecord> | undefined;
  readonly receipts: RowSource<Receipt> | undefined;
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

/** The line of a row in a table that must have exactly this many. */
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
