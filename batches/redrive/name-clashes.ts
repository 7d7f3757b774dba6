import { templateFields, collisionKey, makeName, safeId } from '../../inputs/output-name.ts';
import { SeenTable } from '../../inputs/seen-table.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import type { BatchRecord } from '../../ledger/batches/batch-records.ts';
import type { NewRow } from '../../ledger/rows/row-records.ts';
import { RowNumbers } from '../rows/find-rows.ts';
import type { FoundRow, FoundRows } from './selection.ts';

/** Template fields that an edit cannot change. */
const FIXED: readonly string[] = ['id', 'row', 'kind', 'ext'];

/** Max clashes reported; a template that gives many rows one name is a single mistake. */
const MAX_CLASHES = 1_000;

/** A row whose edit would give its result the name of another row's. */
export interface NameClash {
  readonly type: 'same-name';
  readonly row: number;
  readonly id: string;
  /** The row that has the name. */
  readonly other: number;
  /** File name below `media/`. */
  readonly name: string;
}

/**
 * Finds result files that an edit would give the same name, if names are made from cells (`--file-name`). The file's
 * own check covers only some rows of the batch. Returns one entry per faulty row, at most a thousand. Iterates `found`
 * twice.
 */
export async function findNameClashes(
  found: Iterable<FoundRow> | FoundRows,
  ledger: Ledger,
  batch: BatchRecord,
): Promise<readonly NameClash[]> {
  const { nameTemplate } = batch.settings;
  if (templateFields(nameTemplate).every((field) => FIXED.includes(field))) return [];
  const edited = new RowNumbers();
  let isEdited = false;
  for await (const { scanned, edit } of found) {
    if (edit === null) continue;
    isEdited = true;
    edited.set(scanned.row.row, 1);
  }
  if (!isEdited) return [];
  /** Rows by the names of their files. */
  const rowOf = new SeenTable();
  for await (const { row } of ledger.scanRows(batch.name)) {
    if (edited.get(row.row) === undefined) rowOf.lineBefore(collisionKey(resultName(row, batch)), row.row);
  }
  const clashes: NameClash[] = [];
  for await (const { scanned, edit } of found) {
    if (edit === null) continue;
    const { row } = scanned;
    const name = resultName({ ...row, ...edit }, batch);
    const other = rowOf.lineBefore(collisionKey(name), row.row);
    if (other === undefined || clashes.length >= MAX_CLASHES) continue;
    clashes.push({ type: 'same-name', row: row.row, id: row.id, other, name });
  }
  return clashes;
}

/** Returns the file name of a row's result below `media/`, with `{ext}` still open. */
function resultName({ id, row, spec, input }: NewRow, { columns, settings }: BatchRecord): string {
  const cells = new Map<string, unknown>([
    ...Object.entries(spec),
    ...columns.map((column, at) => [column, input[at] ?? ''] as const),
  ]);
  const cellOf = (column: string): string => {
    const value = cells.get(column);
    return typeof value === 'string' || typeof value === 'number' ? String(value) : '';
  };
  return makeName(settings.nameTemplate, { id: safeId(id), row, kind: spec.kind, cellOf });
}
