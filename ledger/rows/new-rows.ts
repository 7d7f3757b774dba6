import type { Failure } from '../../contract/failures.ts';
import { partId } from '../../contract/row-parts.ts';
import { type LoadedRow, fromSpec } from './row-records.ts';
import type { NewRowLine } from '../schema.ts';
import { failureColumns } from '../records.ts';

/** What all rows have that are loaded together. */
export interface Loading {
  readonly batch: string;
  /** The number of the batch. */
  readonly loaded: number;
  readonly now: number;
}

/** `notChosen`: why it ends at once, if it does. It has no end time, because it never began. */
export function fromRow({ batch, loaded, now }: Loading, row: LoadedRow, notChosen?: Failure): NewRowLine {
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

/** The parts of a row, as rows of their own. Their parts wait for its voice; the row waits for its parts. */
export function fromParts(loading: Loading, row: LoadedRow, notChosen?: Failure): readonly NewRowLine[] {
  const { parts, waitsFor, line } = row;
  if (parts === undefined) return [];
  return parts.rows.map((part, at) => ({
    ...fromRow(loading, { ...part, row: parts.first + at, id: partId(row.id, at + 1), line, input: [] }, notChosen),
    ...waitOf(waitsFor),
    part_of: row.row,
  }));
}

/** A row in parts waits for those, and for nothing else. */
const BLOCKED = { state: 'blocked', voice_row: null, awaits: null } as const;

function waitOf(waitsFor: LoadedRow['waitsFor']): Pick<NewRowLine, 'state' | 'voice_row' | 'awaits'> {
  return {
    state: waitsFor === undefined ? 'waiting' : 'blocked',
    voice_row: waitsFor?.type === 'made' ? waitsFor.row : null,
    awaits: waitsFor?.type === 'training' ? waitsFor.voice : null,
  };
}
