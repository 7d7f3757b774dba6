import { createHash } from 'node:crypto';
import { posix } from 'node:path';
import { parsePause, PAUSE_COLUMN, TITLE_COLUMN, type Joining } from '../../contract/finishing.ts';
import { hasResult } from '../../contract/outcomes.ts';
import { JOINED_FOLDER, safeId } from '../../inputs/output-name.ts';
import type { BatchRecord, RowRecord } from '../../ledger/record-types.ts';
import type { StoredPart } from '../../store/store.ts';
import { MEDIA_FOLDER } from '../names.ts';

/** Characters of a row's text that become the title of a chapter without one. */
const TITLE_CHARACTERS = 60;
/** Rows named of those that a file waits for; the others are counted. */
const MOST_NAMED = 3;

/** The rows that have one value in the column of `--join`, as far as they were read. */
export interface JoinedGroup {
  readonly value: string;
  rows: number;
  /** Rows without a result, and why; the first few. */
  readonly lacks: string[];
  /** How many of them there are. */
  missing: number;
  /** Says what goes into the file, and how: the same digest, the same file. */
  digest: string;
}

/** Collects the rows of a batch by their values, in the order in which the values first come. */
export class JoinedGroups {
  readonly groups = new Map<string, JoinedGroup>();
  readonly #rows: JoiningRows;

  constructor(batch: Pick<BatchRecord, 'columns' | 'settings'>, joining: Joining) {
    this.#rows = new JoiningRows(batch, joining);
  }

  add(row: RowRecord): void {
    const value = this.#rows.valueOf(row);
    if (value === '') return;
    const group = this.groups.get(value) ?? { value, rows: 0, lacks: [], missing: 0, digest: '' };
    this.groups.set(value, group);
    group.rows += 1;
    const part = this.#rows.partOf(row);
    if (part === undefined) {
      group.missing += 1;
      if (group.lacks.length < MOST_NAMED) group.lacks.push(`row ${row.row} (${row.id}) ${whyLacking(row)}`);
      return;
    }
    const { sha256, pauseMs, title } = part;
    group.digest = createHash('sha256')
      .update(JSON.stringify([group.digest, sha256, pauseMs, title]))
      .digest('hex');
  }
}

/** Why nothing can be made of a group, in a sentence; undefined if it is complete. */
export function whyIncomplete({ lacks, missing }: JoinedGroup): string | undefined {
  if (missing === 0) return undefined;
  const more = missing > lacks.length ? `, and ${missing - lacks.length} more` : '';
  return `${lacks.join(', ')}${more}`;
}

/** Path of a group's file below the out folder, without its extension. */
export function joinedStem({ value }: Pick<JoinedGroup, 'value'>): string {
  return posix.join(MEDIA_FOLDER, JOINED_FOLDER, safeId(value));
}

/** Reads what `--join` needs of a row. */
export class JoiningRows {
  readonly #joining: Joining;
  readonly #at: { readonly value: number; readonly pause: number; readonly title: number };

  constructor({ columns }: Pick<BatchRecord, 'columns'>, joining: Joining) {
    this.#joining = joining;
    const at = (name: string): number => columns.indexOf(name);
    this.#at = { value: at(joining.column), pause: at(PAUSE_COLUMN), title: at(TITLE_COLUMN) };
  }

  /** The value of a row; empty if it is joined to no other. */
  valueOf({ input }: Pick<RowRecord, 'input'>): string {
    return input[this.#at.value]?.trim() ?? '';
  }

  /** The row's file as a part of a joined one; undefined if it has none. */
  partOf({ input, outcome, file, spec, id }: RowRecord): StoredPart | undefined {
    if (!hasResult(outcome) || file === null || file.removedAt !== undefined) return undefined;
    const cell = (at: number): string => input[at]?.trim() ?? '';
    const seconds = parsePause(cell(this.#at.pause)) ?? this.#joining.pause;
    const { key, bytes, sha256, extension } = file;
    const title = cell(this.#at.title) || firstWords(spec.text ?? '') || id;
    return { key, bytes, sha256, extension, pauseMs: Math.round(seconds * 1_000), title };
  }
}

function whyLacking({ outcome, file }: RowRecord): string {
  if (outcome === null) return 'is not finished';
  if (!hasResult(outcome)) return `is ${outcome}`;
  return file === null ? 'has no file' : 'has a file that was removed';
}

/** The beginning of a text, on one line, cut between words if there are several. */
function firstWords(text: string): string {
  const line = text.trim().replaceAll(/\s+/gu, ' ');
  const characters = Array.from(line);
  if (characters.length <= TITLE_CHARACTERS) return line;
  const start = characters.slice(0, TITLE_CHARACTERS).join('');
  const end = start.lastIndexOf(' ');
  return `${end > 0 ? start.slice(0, end) : start}…`;
}
