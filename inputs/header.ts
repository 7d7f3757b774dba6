import { isDefaulted } from '../contract/batch.ts';
import { columnsOfKind, kindFactsOf, KINDS, perKind, type Kind, type SpecColumn } from '../contract/row-kinds.ts';
import { unguardCell } from './formula-guard.ts';
import { nearestName, slipOf } from './voices/nearest-name.ts';
import { show, type Finding } from '../contract/manifest-problems.ts';

/** Columns that some kind reads. */
export function specColumns(): readonly SpecColumn[] {
  const columns = KINDS.map(columnsOfKind).flatMap(({ required, optional }) => [...required, ...optional]);
  return [...new Set(columns)];
}

/** Every column that means something, by name; `api.*` and `_*` come on top. */
export function knownColumns(): ReadonlySet<string> {
  return new Set(['id', 'kind', ...specColumns()]);
}

/** An `api.<field>` column. */
interface ApiColumn {
  readonly field: string;
  readonly at: number;
}

/** A note about a column as a whole. */
export type ColumnNote = { readonly finding: Finding } | { readonly column: string; readonly warning: string };

/**
 * What each column of the file is for. Columns are added as they come: all at once for CSV, key by key for JSONL.
 * Names are taken without white space around them; apart from that they must match exactly.
 */
export class Columns {
  /** Place of each column that we know, `api.*` included, by our name. */
  readonly known = new Map<string, number>();
  readonly api: ApiColumn[] = [];
  /** Input columns in order, without `_…`: name in the file and place. */
  readonly input: { readonly name: string; readonly at: number }[] = [];
  /** Place of every input column, by its name in the file. */
  readonly byName = new Map<string, number>();
  /** Place of `_batch`, if this is one of our outcome files. */
  batchAt: number | undefined;
  /** Place of `_row`, the row's number in that batch. */
  rowAt: number | undefined;
  /** Place of `_job_ids`, the jobs that the row had in that batch. */
  jobsAt: number | undefined;
  /** True for one of our outcome files in CSV, also where a person took out `_batch` to run it as a new batch: its cells carry the formula guard. */
  guarded = false;
  /** How many columns the file has, those without use included. */
  count = 0;

  readonly #ours: ReadonlyMap<string, string>;
  readonly #strict: boolean;
  readonly #csv: boolean;
  readonly #alsoKnown: readonly string[];
  readonly #headers = new Map<string, string>();
  readonly #seen = new Set<string>();
  readonly #known = knownColumns();

  /**
   * `map`: our column → their header. `csv`: false for JSONL, where cells are never guarded. `alsoKnown`: columns that
   * mean something besides those of the kinds.
   */
  constructor(map: Readonly<Record<string, string>>, strict: boolean, csv: boolean, alsoKnown: readonly string[] = []) {
    this.#alsoKnown = alsoKnown;
    this.#ours = new Map(Object.entries(map).map(([ours, theirs]) => [theirs.trim(), ours]));
    this.#strict = strict;
    this.#csv = csv;
  }

  /** Adds columns, and says what is wrong or noteworthy about each. */
  add(names: readonly string[]): ColumnNote[] {
    const first = this.count;
    this.count += names.length;
    const trimmed = names.map((name) => name.trim());
    this.guarded = this.#csv && (trimmed.includes('_batch') || trimmed.includes('_outcome'));
    return trimmed.flatMap((name, index) => this.#addOne(this.guarded ? unguardCell(name) : name, first + index));
  }

  /** The column as the file names it. */
  headerOf(ours: string): string {
    return this.#headers.get(ours) ?? ours;
  }

  /**
   * What is wrong with the columns together, once all are there: `--map` entries that name no known column, or a header that the file
   * lacks; and a header without any column that a kind reads.
   */
  findWrong(): Finding[] {
    const findings = [...this.#ours].flatMap(([theirs, ours]): Finding[] => {
      if (!this.#known.has(ours) && !isApi(ours)) {
        const { name } = nearestName(ours, [...this.#known]);
        const expected = `--map to a known column, such as ${name}`;
        return [{ column: ours, expected, came: show(`${ours}=${theirs}`), code: 'bad-map' }];
      }
      if (this.#seen.has(theirs)) return [];
      const expected = `a column ${show(theirs)} in the file, as --map ${ours}=${theirs} says`;
      return [{ column: theirs, expected, came: 'no such column', code: 'bad-map' }];
    });
    const isForeign = this.#csv && findings.length === 0 && !specColumns().some((column) => this.known.has(column));
    if (!isForeign) return findings;
    const expected = 'a first line that names the columns, such as text, voice, audio, video (--map renames yours)';
    return [{ column: '', expected, came: show([...this.byName.keys()].join(', ')), code: 'no-header' }];
  }

  /** The finding for a record that has more or fewer cells than the header. */
  findRagged(cells: readonly string[]): Finding | undefined {
    const { count, input } = this;
    if (cells.length === count) return undefined;
    const expected = `${count} cells, like the header`;
    const came = `${cells.length} cells`;
    if (cells.length > count) return { column: `#${count + 1}`, expected, came, code: 'too-many-cells' };
    const column = input.find(({ at }) => at >= cells.length)?.name ?? `#${cells.length + 1}`;
    return { column, expected, came, code: 'too-few-cells' };
  }

  #addOne(name: string, at: number): ColumnNote[] {
    if (name === '') {
      const expected = 'a name for every column';
      return [{ finding: { column: `#${at + 1}`, expected, came: 'an empty name', code: 'empty-column-name' } }];
    }
    if (name === '_batch') this.batchAt = at;
    if (name === '_row') this.rowAt = at;
    if (name === '_job_ids') this.jobsAt = at;
    const again = this.#seen.has(name);
    this.#seen.add(name);
    if (name.startsWith('_')) return [];
    const ours = this.#ours.get(name) ?? name;
    if (again || this.known.has(ours)) {
      const meant = ours === name ? '' : ` (${show(name)} is ${ours} by --map)`;
      const expected = `one column of each name${meant}`;
      return [{ finding: { column: name, expected, came: `${show(ours)} twice`, code: 'duplicate-column' } }];
    }
    this.input.push({ name, at });
    this.byName.set(name, at);
    if (isApi(ours)) this.api.push({ field: ours.slice('api.'.length), at });
    else if (!this.#known.has(ours)) return this.#alsoKnown.includes(name) ? [] : [this.#unknown(name)];
    this.known.set(ours, at);
    this.#headers.set(ours, name);
    return [];
  }

  #unknown(name: string): ColumnNote {
    if (this.#strict) {
      const nearest = nearestName(name, [...this.#known]);
      const expected = `a known column (the nearest is ${nearest.name}), or a name that begins with _`;
      return { finding: { column: name, expected, came: show(name), code: 'unknown-column' } };
    }
    const meant = slipOf(name, [...this.#known]);
    const hint = meant === undefined ? '' : `; did you mean ${meant}?`;
    return { column: name, warning: `unknown column, copied to the results${hint}` };
  }
}

function isApi(name: string): boolean {
  return name.startsWith('api.') && name.length > 'api.'.length;
}

/**
 * The columns that identify a kind: those that it needs and that no flag fills. The voice identifies none: it may come
 * from a default, and a row without one is reported. Nor does `name`: many tables have such a column of their own.
 */
const tellingOf = perKind((kind) =>
  columnsOfKind(kind).required.filter((column) => !isDefaulted(column) && column !== 'name'),
);

/** Columns that distinguish the kinds. Those of a user's own are selected by name. */
const TELLING: readonly SpecColumn[] = [
  ...new Set(KINDS.filter((kind) => kindFactsOf(kind).onlyByName !== true).flatMap(tellingOf)),
];

/** The kind implied by the columns of a file, whatever their cells contain; undefined if they imply none or several. */
export function kindOfColumns({ known }: Columns): Kind | undefined {
  return inferKind(TELLING.filter((column) => known.has(column)));
}

/**
 * The kind of a record: its `kind` cell, otherwise `stated`, otherwise what its filled cells imply. `stated` is
 * `--kind`, or the kind that the columns imply. Columns come before cells: a blank cell in a file of dubs is a mistake,
 * not a cheaper kind of row.
 */
export function decideKind(
  columns: Columns,
  cells: readonly string[],
  stated: Kind | undefined,
): { readonly kind: Kind } | { readonly finding: Finding } {
  const { known } = columns;
  const given = cells[known.get('kind') ?? -1]?.trim() ?? '';
  if (given !== '') {
    const kind = KINDS.find((one) => one === given);
    if (kind !== undefined) return { kind };
    const expected = `one of ${KINDS.join(', ')} (the nearest is ${nearestName(given, KINDS).name})`;
    return { finding: { column: columns.headerOf('kind'), expected, came: show(given), code: 'unknown-kind' } };
  }
  if (stated !== undefined) return { kind: stated };
  const filled = TELLING.filter((column) => (cells[known.get(column) ?? -1] ?? '').trim() !== '');
  const kind = inferKind(filled);
  return kind === undefined ? { finding: noKind(filled) } : { kind };
}

/**
 * The only kind that needs exactly these columns: text → `tts`, text and video → `dub`, video and audio → `lip-sync`,
 * audio → `stt`. Undefined if several are possible (text and audio) or none.
 */
function inferKind(has: readonly SpecColumn[]): Kind | undefined {
  return KINDS.find((kind) => {
    const telling = tellingOf(kind);
    return (
      kindFactsOf(kind).onlyByName !== true &&
      telling.length === has.length &&
      telling.every((one) => has.includes(one))
    );
  });
}

/** The finding for a row whose kind is not given and cannot be inferred. */
function noKind(filled: readonly SpecColumn[]): Finding {
  const needs = KINDS.map((kind) => `${kind} needs ${columnsOfKind(kind).required.join(', ')}`).join('; ');
  return {
    column: 'kind',
    expected: `a kind column or --kind, because the cells do not tell the kind: ${needs}`,
    came: filled.length === 0 ? `neither ${TELLING.join(' nor ')}` : `${filled.join(' and ')}: could be several kinds`,
    code: 'no-kind',
  };
}
