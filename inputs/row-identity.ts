import { hash } from 'node:crypto';
import type { Kind } from '../contract/row-kinds.ts';
import type { Columns } from './columns.ts';
import { collisionKey, makeName, safeId, templateFields, whyBadPath, whyReserved } from './output-name.ts';
import { show, type Finding } from '../contract/manifest-problems.ts';
import { SeenTable } from './seen-table.ts';

/** Max characters of an id. */
const MAX_ID_LENGTH = 200;

/** The identity of a row. */
export interface RowIdentity {
  readonly id: string;
  /** File name of its result below `media/`, `{ext}` left in; empty if the row's kind is unknown. */
  readonly name: string;
  readonly findings: readonly Finding[];
}

/** The part of a record that its identity depends on. */
export interface IdentifiedRecord {
  /** Cells by their columns. */
  readonly columns: Columns;
  readonly cells: readonly string[];
  /** Its `id` cell, trimmed; empty if it has none. */
  readonly givenId: string;
  /** Its line among all files; see {@link LinePlaces}. */
  readonly place: number;
  readonly row: number;
  /** Undefined if the row is faulty, because then its name does not matter. */
  readonly kind: Kind | undefined;
}

/** Options of {@link RowIdentities}. */
interface IdentityOptions {
  /** Whether the file has a header, unlike JSONL. */
  readonly hasHeader: boolean;
  /** Whether to check ids and names for duplicates; a manifest's second pass need not. */
  readonly checksDuplicates: boolean;
  /** Converts a place back to a line. */
  readonly places: Pick<LinePlaces, 'describe'>;
}

/**
 * Gives each row its id and the name of its result file, and ensures that no two rows share either. Keeps no row: only
 * hashes of ids and names.
 *
 * A row without an id gets one made from its content: 12 hex digits of the sha256 of its filled cells, sorted by
 * column, and `-2`, `-3`, … for further rows with the same content. So ids do not change when rows or columns are
 * reordered.
 */
export class RowIdentities {
  /** Set to false if the template is invalid, because every name would repeat that problem. */
  checksNames = true;
  readonly #template: string;
  readonly #fields: readonly string[];
  /**
   * True if names are made from ids alone: then they differ exactly where ids do, ignoring case, and one check covers
   * both.
   */
  readonly #isById: boolean;
  readonly #hasHeader: boolean;
  readonly #checksDuplicates: boolean;
  readonly #ids = new SeenTable();
  readonly #names = new SeenTable();
  /** How many rows without an id have the same content. */
  readonly #contents = new SeenTable();
  readonly #places: Pick<LinePlaces, 'describe'>;

  constructor(template: string, { hasHeader, checksDuplicates, places }: IdentityOptions) {
    this.#places = places;
    this.#hasHeader = hasHeader;
    this.#template = template;
    this.#fields = templateFields(template);
    this.#isById = this.#fields.includes('id') && this.#fields.every((field) => field === 'id' || field === 'ext');
    this.#checksDuplicates = checksDuplicates;
  }

  /** Returns the id and name of the next row, with findings about them. Call it once for each row, in order. */
  identify(record: IdentifiedRecord): RowIdentity {
    const { columns, cells, givenId, place, row, kind } = record;
    const id = givenId === '' ? this.#idOfContent(columns, cells) : givenId;
    const bad = givenId === '' ? undefined : findBadId(givenId, columns.headerOf('id'));
    const cellOf = (column: string): string | undefined => {
      const at = columns.byName.get(column);
      return at === undefined ? undefined : (cells[at] ?? '');
    };
    const name =
      kind === undefined && !this.#isById
        ? ''
        : makeName(this.#template, { id: safeId(id), row, kind: kind ?? '', cellOf });
    // Without an id column all ids are made from content, so they differ. JSON lines may add the column later.
    const mayClash = this.#checksDuplicates && (columns.known.has('id') || !this.#hasHeader);
    const before = mayClash ? this.#ids.lineBefore(this.#isById ? collisionKey(name) : id, place) : undefined;
    const findings = bad === undefined ? [] : [bad];
    if (before !== undefined) {
      const where = this.#places.describe(before);
      const expected = this.#isById ? uniqueFor(id, where) : `a unique id; ${where} has the same`;
      findings.push({ column: columns.headerOf('id'), expected, got: show(id), code: 'duplicate-id' });
    }
    // A bad or repeated id spoils its name too; report it once.
    if (findings.length > 0 || kind === undefined || !this.checksNames) return { id, name, findings };
    const badName = this.#findBadName(name, place, cellOf);
    return { id, name, findings: badName === undefined ? [] : [badName] };
  }

  /** Makes an id of a row's content. */
  #idOfContent({ input }: Columns, cells: readonly string[]): string {
    const filled = input.flatMap(({ name, at }) => ((cells[at] ?? '') === '' ? [] : [[name, cells[at]] as const]));
    const sorted = filled.toSorted(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0));
    const base = hash('sha256', JSON.stringify(sorted), 'hex').slice(0, 12);
    const occurrence = (this.#contents.get(base) ?? 0) + 1;
    this.#contents.set(base, occurrence);
    return occurrence === 1 ? base : `${base}-${occurrence}`;
  }

  /**
   * Finds the problem of a name: it is not a path below `media/`, or another row has it. The cells of a column `name`
   * follow the same rules even if the template does not use it, because they are meant as file names.
   */
  #findBadName(name: string, place: number, cellOf: CellOf): Finding | undefined {
    const cell = cellOf('name') ?? '';
    const whyCell = cell === '' ? undefined : whyBadPath(cell);
    if (whyCell !== undefined) return { column: 'name', expected: whyCell, got: show(cell), code: 'bad-name' };
    const why = whyBadPath(name) ?? whyReserved(name);
    if (why !== undefined) {
      return { column: this.#blame(cellOf), expected: `${why} (from --file-name)`, got: show(name), code: 'bad-name' };
    }
    const twice =
      this.#checksDuplicates && !this.#isById ? this.#names.lineBefore(collisionKey(name), place) : undefined;
    if (twice === undefined) return undefined;
    const expected = `a unique file name, ignoring case; ${this.#places.describe(twice)} has the same`;
    return { column: this.#blame(cellOf), expected, got: show(name), code: 'duplicate-name' };
  }

  /** Returns the column that probably spoils a name: the template's first column with a bad cell, or else its first. */
  #blame(cellOf: CellOf): string {
    const used = this.#fields.filter((field) => cellOf(field) !== undefined);
    return used.find((field) => whyBadPath(cellOf(field) ?? '') !== undefined) ?? used[0] ?? '';
  }
}

/**
 * Says what is expected instead of an id whose file name another row has. Different ids may get the same safe form, so
 * the message then names both.
 */
function uniqueFor(id: string, where: string): string {
  const safe = safeId(id);
  return safe === id && !MARKED.test(id)
    ? `a unique id, ignoring case; ${where} has the same`
    : `an id with a file name of its own; ${where} has the same id, or the same file name "${safe}"`;
}

/** Matches the end of ids that `safeId` has changed. */
const MARKED = /-[0-9a-f]{8}$/iu;

/** Returns the row's cell of an input column; undefined if there is no such column. */
type CellOf = (column: string) => string | undefined;

/**
 * Finds the problem of a given id. Ids are typed after `explain` and shown in messages. File names use a safe form (see
 * {@link safeId}), but an id that looks like a path to another folder is a mistake.
 */
export function findBadId(id: string, column: string): Finding | undefined {
  const bad = (expected: string): Finding => ({ column, expected, got: show(id), code: 'bad-id' });
  if (id.length > MAX_ID_LENGTH || /[\p{Cc}\p{Cs}]/u.test(id))
    return bad(`an id of at most ${MAX_ID_LENGTH} characters without control characters`);
  if (/^[/\\]|^[a-z]:[/\\]/i.test(id)) return bad('an id that is no absolute path');
  return id.split(/[/\\]/).some((part) => part === '.' || part === '..')
    ? bad('an id that is not a path with . or ..')
    : undefined;
}

/**
 * Numbers the lines of several files consecutively (their "places"), and converts a place back to file and line. So the
 * checks for duplicates need only keep a number for each of millions of rows.
 */
export class LinePlaces {
  readonly #files: { readonly label: string; readonly before: number }[] = [];
  #last = 0;

  /** Starts the next file. */
  begin(label: string): void {
    this.#files.push({ label, before: this.#last });
  }

  /** Returns the place of a line in the current file. */
  placeOf(line: number): number {
    const place = (this.#files.at(-1)?.before ?? 0) + line;
    this.#last = Math.max(this.#last, place);
    return place;
  }

  /** Describes a place: `line 3`, or `line 3 of b.csv` if there are several files. */
  describe(place: number): string {
    const file = this.#files.findLast(({ before }) => before < place);
    const line = `line ${place - (file?.before ?? 0)}`;
    return this.#files.length > 1 && file !== undefined ? `${line} of ${file.label}` : line;
  }
}
