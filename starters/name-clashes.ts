import { collisionKey, makeName, templateFields } from '../inputs/output-name.ts';
import type { Ledger } from '../ledger/ledger.ts';
import type { BatchRecord, NewRow } from '../ledger/record-types.ts';
import { oneLine } from './terminal/table.ts';
import type { FoundRow } from './redrive-draft.ts';

/** Fields of a `--name` template that an edit cannot change. */
const FIXED: readonly string[] = ['id', 'row', 'kind', 'ext'];

/**
 * Result files that would get one name by an edit, where names are made from cells (`--name`): the file was checked by itself,
 * but its rows are only some of the batch's. One message for each row that is at fault.
 */
export async function findNameClashes(
  found: readonly FoundRow[],
  ledger: Ledger,
  batch: BatchRecord,
): Promise<readonly string[]> {
  const { nameTemplate } = batch.settings;
  const edited = new Map(
    found.flatMap(({ scanned, edit }) => (edit === null ? [] : [[scanned.row.row, edit] as const])),
  );
  if (edited.size === 0 || templateFields(nameTemplate).every((field) => FIXED.includes(field))) return [];
  const rowOf = new Map<string, number>();
  const clashes: string[] = [];
  for await (const { row } of ledger.scanRows(batch.name)) {
    const name = nameOf({ ...row, ...edited.get(row.row) }, batch);
    const key = collisionKey(name);
    const other = rowOf.get(key);
    if (other === undefined) rowOf.set(key, row.row);
    else {
      clashes.push(
        `row ${String(row.row)}, id ${oneLine(row.id)}: expected a result name of its own; row ${String(other)} has ${oneLine(name)} too`,
      );
    }
  }
  return clashes;
}

function nameOf({ id, row, spec, input }: NewRow, { columns, settings }: BatchRecord): string {
  const cells = new Map<string, unknown>([
    ...Object.entries(spec),
    ...columns.map((column, at) => [column, input[at] ?? ''] as const),
  ]);
  const cellOf = (column: string): string => {
    const value = cells.get(column);
    return typeof value === 'string' || typeof value === 'number' ? String(value) : '';
  };
  return makeName(settings.nameTemplate, { id, row, kind: spec.kind, cellOf });
}
