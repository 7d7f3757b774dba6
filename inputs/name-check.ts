import { collisionKey, makeName, templateFields, whyBadPath, whyReserved } from './output-name.ts';
import { show } from './problems.ts';
import { safeId } from './safe-id.ts';
import type { Finding } from './problems.ts';
import { SeenTable } from './seen-table.ts';

/** The cell of an input column, undefined if there is no such column. */
type CellOf = (column: string) => string | undefined;

/** Checks that every output name is a path below `media/` that no other row has. */
export class NameCheck {
  /** Names are made from ids alone: they differ where ids do, letter case aside, so that one check serves both. */
  readonly isById: boolean;
  readonly #template: string;
  readonly #fields: readonly string[];
  readonly #unique: boolean;
  readonly #names = new SeenTable();

  /** `unique`: whether names are compared with each other. */
  constructor(template: string, unique: boolean) {
    this.#template = template;
    this.#fields = templateFields(template);
    this.isById = this.#fields.includes('id') && this.#fields.every((field) => field === 'id' || field === 'ext');
    this.#unique = unique;
  }

  /** What the ids of two rows must not share. */
  keyOfId(id: string): string {
    if (!this.isById) return id;
    return collisionKey(makeName(this.#template, { id: safeId(id), row: 0, kind: '', cellOf: () => undefined }));
  }

  /**
   * What is wrong with the name of a row. A column called `name` is held to the same rules even where the template does
   * not use it: it is there to become a file name.
   */
  findBadName(name: string, line: number, cellOf: CellOf): Finding | undefined {
    const cell = cellOf('name') ?? '';
    const whyCell = cell === '' ? undefined : whyBadPath(cell);
    if (whyCell !== undefined) return { column: 'name', expected: whyCell, came: show(cell), code: 'bad-name' };
    const why = whyBadPath(name) ?? whyReserved(name);
    if (why !== undefined) {
      return { column: this.#blame(cellOf), expected: `${why} (from --file-name)`, came: show(name), code: 'bad-name' };
    }
    const twice = this.#unique && !this.isById ? this.#names.lineBefore(collisionKey(name), line) : undefined;
    if (twice === undefined) return undefined;
    const expected = `a unique file name, ignoring case; line ${twice} has the same`;
    return { column: this.#blame(cellOf), expected, came: show(name), code: 'duplicate-name' };
  }

  /** The column that most likely spoils a name: the first in the template with a bad cell, else the first of all. */
  #blame(cellOf: CellOf): string {
    const used = this.#fields.filter((field) => cellOf(field) !== undefined);
    return used.find((field) => whyBadPath(cellOf(field) ?? '') !== undefined) ?? used[0] ?? '';
  }
}
