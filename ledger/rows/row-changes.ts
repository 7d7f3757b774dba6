import type { Failure } from '../../contract/failures.ts';
import { readLine, setRow, type RowKey } from './line-changes.ts';
import { failureColumns, jsonOrNull } from '../records.ts';
import type { RowLine, Tx } from '../schema.ts';
import { settleSpeakers, withVoice } from '../voices/speakers.ts';
import { settleWhole } from '../parts/whole-rows.ts';
import type { RowEnding } from './row-effects.ts';

/** A change of a row, with its failure as an object rather than as columns. */
export type RowChange = Omit<Partial<RowLine>, keyof ReturnType<typeof failureColumns>> & {
  readonly failure?: Failure | null;
};

/**
 * Changes these columns of a row. If the row ends, reopens or gets another take, the same transaction updates its
 * dependents: a row in parts follows its parts, and a row that speaks with a voice follows the row that makes it.
 * `before`: the current row; read if needed by default. Returns the columns that have changed.
 */
export async function updateRow(
  tx: Tx,
  key: RowKey,
  { failure, ...others }: RowChange,
  before?: RowLine,
): Promise<Partial<RowLine>> {
  const meant: Partial<RowLine> = failure === undefined ? others : { ...others, ...failureColumns(failure) };
  if (!('outcome' in meant || 'take' in meant)) {
    await setRow(tx, key, meant, before);
    return meant;
  }
  const line = before ?? (await readLine(tx, key));
  const change = await withVoice(tx, line, meant);
  await setRow(tx, key, change, line);
  const after = { ...line, ...change };
  if (line.outcome === after.outcome && line.take === after.take && line.failure === after.failure) return change;
  if (after.part_of !== null) await settleWhole(tx, after, after.part_of);
  if (after.kind === 'voice' && line.outcome !== after.outcome) await settleSpeakers(tx, after);
  return change;
}

/** The columns of a row that ends. */
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
