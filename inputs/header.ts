import { CAST_COLUMN } from '../contract/cast.ts';
import { MAX_SECONDS } from '../contract/max-seconds.ts';
import { show, type Finding } from '../contract/manifest-problems.ts';
import { shellWord } from '../contract/shell-word.ts';
import { ColumnNames, type ColumnOptions } from './column-names.ts';
import { unguardCell } from './formula-guard.ts';
import { foldHeader, isApi, guessColumn, specColumns } from './header-names.ts';

/** An `api.<field>` column. */
interface ApiColumn {
  readonly field: string;
  readonly at: number;
}

/** A finding that may have a line of its own, instead of that of the record in which it was met. */
export type PlacedFinding = Finding & { readonly line?: number };

/** A note about a column as a whole. */
export type ColumnNote = { readonly finding: Finding } | { readonly column: string; readonly warning: string };

/**
 * What each column of the file is for. Columns are added as they come: all at once for CSV, key by key for JSONL.
 * Names are taken without white space around them. One of another case stands for ours only if no column is exactly so.
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
  /**
   * True for one of our outcome files in CSV, also where a person took out `_batch` to run it as a new batch: its cells
   * carry the formula guard.
   */
  guarded = false;
  /** How many columns the file has, those without use included. */
  count = 0;
  /** Line of the first header. */
  line = 1;

  readonly #names: ColumnNames;
  readonly #options: ColumnOptions;
  readonly #csv: boolean;
  readonly #alsoKnown: readonly string[];
  readonly #headers = new Map<string, string>();
  readonly #seen = new Set<string>();
  readonly #told = new Set<string>();

  /**
   * `csv`: false for JSONL, where cells are never guarded. `alsoKnown`: columns that mean something besides those of
   * the kinds.
   */
  constructor(options: ColumnOptions, csv: boolean, alsoKnown: readonly string[] = []) {
    this.#alsoKnown = alsoKnown;
    this.#names = new ColumnNames(options);
    this.#options = options;
    this.#csv = csv;
  }

  /** Adds columns, and says what is wrong or noteworthy about each. */
  add(names: readonly string[]): ColumnNote[] {
    const first = this.count;
    this.count += names.length;
    const trimmed = names.map((name) => name.trim());
    this.guarded = this.#csv && (trimmed.includes('_batch') || trimmed.includes('_outcome'));
    const bare = this.guarded ? trimmed.map(unguardCell) : trimmed;
    const all = new Set([...this.#seen, ...bare]);
    return bare.flatMap((name, index) => this.#addOne(name, first + index, all));
  }

  /** The column as the file names it. */
  headerOf(ours: string): string {
    return this.#headers.get(ours) ?? ours;
  }

  /** Our column → its header, for the columns that only `mapIfThere` explains. */
  get mapUsed(): Readonly<Record<string, string>> {
    const used = [...this.#names.oursIfThere].flatMap(([theirs, ours]) => {
      const header = this.#headers.get(ours);
      return header !== undefined && foldHeader(header) === foldHeader(theirs) ? [[ours, header]] : [];
    });
    return Object.fromEntries(used) as Readonly<Record<string, string>>;
  }

  /** Whether a table has no such column; the keys of JSON lines may still come. */
  lacks(ours: string): boolean {
    return this.#csv && !this.known.has(ours);
  }

  /** A finding about the header that rows meet: told once, however many they are, as their cells are not at fault. */
  once(topic: string, finding: () => Finding): PlacedFinding[] {
    if (this.#told.has(topic)) return [];
    this.#told.add(topic);
    return [{ ...finding(), line: this.line }];
  }

  /** The finding for a column that the header lacks. `need`: why it is needed, as an end of the sentence. */
  missing(ours: string, need: string): Finding {
    const like = this.input.find(({ name }) => !this.#isUsed(name) && guessColumn(name, [ours]) === ours)?.name;
    const hint = like === undefined ? '' : `; is it ${show(like)}? Then: --map ${ours}=${like}`;
    const got = `the columns ${show(this.input.map(({ name }) => name).join(', '))}`;
    return { column: ours, expected: `a column ${ours}, ${need}${hint}`, got, code: 'missing-column' };
  }

  /**
   * What is wrong with the columns together, once all are there: `--map` entries that name no known column, or a header
   * that the file lacks; and a header without any column that a kind reads.
   */
  findWrong(): Finding[] {
    const findings = [...this.#names.ours].flatMap(([theirs, ours]): Finding[] => {
      if (!this.#names.known.has(ours) && !isApi(ours)) {
        const meant = guessColumn(ours, [...this.#names.known]);
        const hint =
          ours === CAST_COLUMN ? ' (speaker is one with --cast)' : meant === undefined ? '' : `, such as ${meant}`;
        const expected = `--map to a known column${hint}`;
        return [{ column: ours, expected, got: show(`${ours}=${theirs}`), code: 'bad-map' }];
      }
      const isThere = foldHeader(this.#headers.get(ours) ?? '') === foldHeader(theirs);
      if (isThere || this.#seen.has(theirs)) return [];
      const expected = `a column ${show(theirs)} in the file, as --map ${ours}=${theirs} says`;
      return [{ column: theirs, expected, got: 'no such column', code: 'bad-map' }];
    });
    if (findings.length > 0) return findings;
    if (this.#csv && !specColumns().some((column) => this.known.has(column))) return [this.#foreign()];
    const isNameless = this.#options.cast !== undefined && this.known.has('text') && !this.known.has(CAST_COLUMN);
    return isNameless ? [this.missing(CAST_COLUMN, 'with names of the cast')] : [];
  }

  /** The finding for a record that has more or fewer cells than the header. */
  findRagged(cells: readonly string[]): Finding | undefined {
    const { count, input } = this;
    if (cells.length === count) return undefined;
    const expected = `${count} cells, like the header`;
    const got = `${cells.length} cells`;
    if (cells.length > count) return { column: `#${count + 1}`, expected, got, code: 'too-many-cells' };
    const column = input.find(({ at }) => at >= cells.length)?.name ?? `#${cells.length + 1}`;
    return { column, expected, got, code: 'too-few-cells' };
  }

  /** A header without any column that a kind reads. */
  #foreign(): Finding {
    const maps = this.input.flatMap(({ name }) => {
      const meant = this.#meant(name);
      return meant === undefined ? [] : [`--map ${shellWord(`${meant}=${name}`)}`];
    });
    const hint = maps.length === 0 ? '--map renames yours' : `perhaps ${maps.join(' ')}`;
    const expected = `a first line that names the columns, such as text, voice, audio, video (${hint})`;
    return { column: '', expected, got: show([...this.byName.keys()].join(', ')), code: 'no-header' };
  }

  #addOne(name: string, at: number, all: ReadonlySet<string>): ColumnNote[] {
    if (name === '') {
      const expected = 'a name for every column';
      return [{ finding: { column: `#${at + 1}`, expected, got: 'an empty name', code: 'empty-column-name' } }];
    }
    if (name === '_batch') this.batchAt = at;
    if (name === '_row') this.rowAt = at;
    if (name === '_job_ids') this.jobsAt = at;
    const again = this.#seen.has(name);
    this.#seen.add(name);
    if (name.startsWith('_')) return [];
    const ours = this.#names.oursOf(name, all);
    if (again || this.known.has(ours)) {
      const meant = ours === name ? '' : ` (${show(name)} is ${ours})`;
      const expected = `one column of each name${meant}`;
      return [{ finding: { column: name, expected, got: `${show(ours)} twice`, code: 'duplicate-column' } }];
    }
    this.input.push({ name, at });
    this.byName.set(name, at);
    if (isApi(ours)) this.api.push({ field: ours.slice('api.'.length), at });
    else if (!this.#names.known.has(ours)) return this.#alsoKnown.includes(name) ? [] : [this.#unknown(name, all)];
    this.known.set(ours, at);
    this.#headers.set(ours, name);
    return [];
  }

  #unknown(name: string, all: ReadonlySet<string>): ColumnNote {
    const meant = this.#meant(name, all);
    if (this.#options.strict) {
      const hint = meant === undefined ? '' : ` (did you mean ${meant}?)`;
      const expected = `a known column${hint}, or a name that begins with _`;
      return { finding: { column: name, expected, got: show(name), code: 'unknown-column' } };
    }
    const hint = meant === undefined ? '' : `; did you mean ${meant}?`;
    return { column: name, warning: `unknown column, copied to the results${hint}` };
  }

  /** The column that a header is probably meant as. */
  #meant(name: string, all: ReadonlySet<string> = this.#seen): string | undefined {
    const isThere = (ours: string): boolean => all.has(ours) || this.#headers.has(ours);
    const meant = guessColumn(name, [...this.#names.known], isThere);
    if (meant !== 'duration' || this.#hasMedia(all)) return meant;
    // Without media, a length is that of the speech.
    return isThere(MAX_SECONDS) ? undefined : MAX_SECONDS;
  }

  #hasMedia(all: ReadonlySet<string>): boolean {
    return [...all].some((name) => ['audio', 'video'].includes(this.#names.oursOf(name, all)));
  }

  #isUsed(name: string): boolean {
    return [...this.#headers.values()].includes(name);
  }
}
