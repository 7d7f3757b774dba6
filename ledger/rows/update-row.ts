import type { Failure } from '../../contract/failures.ts';
import { readLine, setRow, type RowKey } from './line-changes.ts';
import { failureColumns, jsonOrNull } from '../records.ts';
import type { RowLine, Tx } from '../schema.ts';
import { settleSpeakers, withVoice } from '../voices/speakers.ts';
import { settleSplitRows } from '../parts/split-rows.ts';
import type { RowEnding } from './row-effects.ts';

/** A change of a row, with its failure as an object rather than as columns. */
export type RowChange = Omit<Partial<RowLine>, keyof ReturnType<typeof failureColumns>> & {
  readonly failure?: Failure | null;
};

/**
 * Changes these columns of a row. If the row ends, reopens or gets another take, also updates the rows that depend on
 * it: a split row follows its parts, and a row that speaks with a new voice follows the row that makes the voice.
 * `before`: the present line; read if needed by default. Returns the columns that have changed.
 */
export async function updateRow(tx: Tx, key: RowKey, change: RowChange, before?: RowLine): Promise<Partial<RowLine>> {
  const columns = columnsOf(change);
  if (!('outcome' in columns || 'take' in columns)) {
    await setRow(tx, key, columns, before);
    return columns;
  }
  const { changed, unsettled } = await changeWithSpeakers(tx, before ?? (await readLine(tx, key)), columns);
  await settleSplitRows(tx, unsettled);
  return changed;
}

/** A present line, and the change of it. */
export interface LineChange {
  readonly line: RowLine;
  readonly change: RowChange;
}

/** Like {@link updateRow}, for many rows of one batch that all end. A split row follows once, after its last part. */
export async function updateRows(tx: Tx, changes: readonly LineChange[]): Promise<void> {
  const all: RowLine[] = [];
  for (const { line, change } of changes)
    all.push(...(await changeWithSpeakers(tx, line, columnsOf(change))).unsettled);
  await settleSplitRows(tx, all);
}

/**
 * Changes a row and the rows that speak with its voice. `unsettled`: the row, if the split row that it may be a part of
 * must follow; else empty.
 */
async function changeWithSpeakers(
  tx: Tx,
  line: RowLine,
  columns: Partial<RowLine>,
): Promise<{ readonly changed: Partial<RowLine>; readonly unsettled: readonly RowLine[] }> {
  const changed = await withVoice(tx, line, columns);
  await setRow(tx, line, changed, line);
  const after = { ...line, ...changed };
  if (line.outcome === after.outcome && line.take === after.take && line.failure === after.failure)
    return { changed, unsettled: [] };
  if (after.kind === 'voice' && line.outcome !== after.outcome) await settleSpeakers(tx, after);
  return { changed, unsettled: [after] };
}

function columnsOf({ failure, ...others }: RowChange): Partial<RowLine> {
  return failure === undefined ? others : { ...others, ...failureColumns(failure) };
}

/** The columns of a row that ends like this, now (ms). */
export function endingColumns(effect: RowEnding, now: number): RowEnd {
  return {
    outcome: effect.outcome,
    failure: effect.failure ?? null,
    file: jsonOrNull(effect.file),
    extra_files: jsonOrNull(effect.extraFiles),
    text: effect.text ?? null,
    updated_at: now,
    ended_at: now,
  };
}

type RowEnd = Required<
  Pick<RowChange, 'outcome' | 'failure' | 'file' | 'extra_files' | 'text' | 'updated_at' | 'ended_at'>
>;
