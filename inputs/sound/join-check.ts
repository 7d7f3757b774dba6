import { parsePause, PAUSE_COLUMN, PAUSE_FORM, type Joining } from '../../contract/finishing.ts';
import type { Kind } from '../../contract/row-kinds.ts';
import type { Columns } from '../columns.ts';
import { collisionKey, JOINED_FOLDER, safeId } from '../output-name.ts';
import { show, type Finding } from '../../contract/manifest-problems.ts';
import { SeenTable } from '../seen-table.ts';

/** The parts of a row that matter for joining. */
interface JoinedRow {
  readonly cells: readonly string[];
  /** Undefined if unknown. */
  readonly kind: Kind | undefined;
  /** Name of its own file below `media/`. */
  readonly name: string;
  /** Its number. */
  readonly row: number;
}

/**
 * Checks a manifest against `--join`, which joins the results of rows with the same value in a column into one file:
 * the column, the kinds of rows, their pauses, and the file names.
 */
export class JoinCheck {
  readonly #joining: Joining;
  /** First row of each value, and of each file name made of a value, see `collisionKey`. */
  readonly #values = new SeenTable();
  readonly #names = new SeenTable();

  constructor(joining: Joining) {
    this.#joining = joining;
  }

  /** Returns the finding about a missing column. */
  findMissing({ byName }: Pick<Columns, 'byName'>): Finding | undefined {
    const { column } = this.#joining;
    if (byName.has(column)) return undefined;
    const expected = `a column ${show(column)} in the file, as --join says`;
    return { column, expected, got: 'no such column', code: 'bad-join' };
  }

  /** Finds what is wrong with a row. */
  findWrong({ byName }: Pick<Columns, 'byName'>, { cells, kind, name, row }: JoinedRow): Finding[] {
    const { column } = this.#joining;
    const cellOf = (wanted: string): string => cells[byName.get(wanted) ?? -1]?.trim() ?? '';
    const value = cellOf(column);
    if (collisionKey(name).startsWith(`${JOINED_FOLDER}/`)) {
      const expected = `a path outside the folder ${JOINED_FOLDER}, which is for what --join makes`;
      return [{ column: '', expected, got: show(name), code: 'bad-name' }];
    }
    if (value === '') return [];
    const findings: Finding[] = [];
    const pause = cellOf(PAUSE_COLUMN);
    if (pause !== '' && parsePause(pause) === undefined) {
      findings.push({ column: PAUSE_COLUMN, expected: PAUSE_FORM, got: show(pause), code: 'bad-number' });
    }
    if (kind !== undefined && kind !== 'tts') {
      const expected = `an empty cell, for only rows that make speech (tts) can be joined, and this is ${kind}`;
      findings.push({ column, expected, got: show(value), code: 'bad-join' });
    }
    const other = this.#otherValue(value, row);
    if (other !== undefined) {
      const expected = `a value whose file name differs from that of row ${other}, ignoring case`;
      findings.push({ column, expected, got: show(value), code: 'duplicate-name' });
    }
    return findings;
  }

  /** Returns the row with another value that has the same file name, if any. */
  #otherValue(value: string, row: number): number | undefined {
    if (this.#values.lineBefore(value, row) !== undefined) return undefined;
    return this.#names.lineBefore(collisionKey(safeId(value)), row);
  }
}
