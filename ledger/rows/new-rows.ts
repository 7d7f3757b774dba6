import type { Failure } from '../../contract/failures.ts';
import { partId } from '../../contract/row-parts.ts';
import { type LoadedRow, fromSpec } from './row-records.ts';
import type { NewRowLine } from '../schema.ts';
import { failureColumns } from '../records.ts';

/** What the rows of a batch have in common when they are loaded. */
export interface LoadContext {
  readonly batch: string;
  /** Sequence number of the batch among those of the ledger, which each row repeats in its column `loaded`. */
  readonly loaded: number;
  /** ms since 1970. */
  readonly now: number;
}

/**
 * Returns a new row's line in the table `rows`; its member `line` is the row's line in the manifest. `notChosen`: the
 * row ends at once with this failure, because `--limit` or `--sample` leaves it out; it has no end time, because it
 * never began.
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
    promised: 0, // budget that it has reserved
    hold: 0, // fencing token
    updated_at: now,
    outcome: notChosen === undefined ? null : 'skipped',
    ...failureColumns(notChosen),
  };
}

/**
 * Returns the lines of a new row's parts; none if it is not split. The parts wait for the row's voice if that is not
 * ready, and the row waits for its parts.
 */
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

/** What a row waits for: the row of the batch that makes its voice, or a voice that is in training. */
function waitOf(waitsFor: LoadedRow['waitsFor']): Pick<NewRowLine, 'state' | 'voice_row' | 'awaits'> {
  return {
    state: waitsFor === undefined ? 'waiting' : 'blocked',
    voice_row: waitsFor?.type === 'made' ? waitsFor.row : null,
    awaits: waitsFor?.type === 'training' ? waitsFor.voice : null,
  };
}
