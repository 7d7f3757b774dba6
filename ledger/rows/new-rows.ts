import type { Failure } from '../../contract/failures.ts';
import { partId } from '../../contract/row-parts.ts';
import { type LoadedRow, fromSpec } from './row-records.ts';
import type { NewRowLine } from '../schema.ts';
import { failureColumns } from '../records.ts';

/** What rows that are loaded together have in common. */
export interface LoadContext {
  readonly batch: string;
  /** Sequence number of the batch. */
  readonly loaded: number;
  /** ms. */
  readonly now: number;
}

/**
 * Returns the line of a new row. `notChosen`: the row ends at once with this failure, because `--limit` or `--sample`
 * leaves it out; it has no end time, because it never began.
 */
export function fromRow({ batch, loaded, now }: LoadContext, row: LoadedRow, notChosen?: Failure): NewRowLine {
  const { waitsFor, parts } = row;
  return {
    batch,
    row: row.row,
    id: row.id,
    line: row.line,
    loaded,
    ...fromSpec(row.spec),
    input: JSON.stringify(row.input),
    quoted: row.quoted,
    ...(parts === undefined ? waitOf(waitsFor) : BLOCKED),
    part_of: null,
    parts: parts?.rows.length ?? null,
    take: 1,
    auto_takes: 0,
    promised: 0,
    hold: 0,
    updated_at: now,
    outcome: notChosen === undefined ? null : 'skipped',
    ...failureColumns(notChosen),
  };
}

/** Returns the lines of a new row's parts; none if it is not split. The parts wait for its voice, and it for them. */
export function fromParts(context: LoadContext, row: LoadedRow, notChosen?: Failure): readonly NewRowLine[] {
  const { parts, waitsFor, line } = row;
  if (parts === undefined) return [];
  return parts.rows.map((part, at) => ({
    ...fromRow(context, { ...part, row: parts.first + at, id: partId(row.id, at + 1), line, input: [] }, notChosen),
    ...waitOf(waitsFor),
    part_of: row.row,
  }));
}

/** A split row waits only for its parts. */
const BLOCKED = { state: 'blocked', voice_row: null, awaits: null } as const;

function waitOf(waitsFor: LoadedRow['waitsFor']): Pick<NewRowLine, 'state' | 'voice_row' | 'awaits'> {
  return {
    state: waitsFor === undefined ? 'waiting' : 'blocked',
    voice_row: waitsFor?.type === 'made' ? waitsFor.row : null,
    awaits: waitsFor?.type === 'training' ? waitsFor.voice : null,
  };
}
