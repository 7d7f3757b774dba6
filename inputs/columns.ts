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

/** A finding with a line of its own, if that is not the line of the record in which it was found. */
export type PlacedFinding = Finding & { readonly line?: number };

/** A note about a column as a whole. */
export type ColumnNote = { readonly finding: Finding } | { readonly column: string; readonly warning: string };

/**
 * The columns of a manifest, and what each is for. They are added as they are read: all at once for CSV, key by key for
 * JSONL. White space around names is ignored. A header in another case stands for one of our columns only if no header
 * matches it exactly.
 */
export class Columns {
  /** Index of the cell of each known column, `api.*` included, by our name (`text`, `voice`, …), not its header. */
  readonly known = new Map<string, number>();
  readonly api: ApiColumn[] = [];
  /** Input columns in order, without `_…`: header, and index of the cell (`at`). */
  readonly input: { readonly name: string; readonly at: number }[] = [];
  /** Index of the cell of each input column, by its header. */
  readonly byName = new Map<string, number>();
  /** Index of `_batch`, if this is one of our outcome files. */
  batchAt: number | undefined;
  /** Index of `_row`, the row's number in that batch. */
  rowAt: number | undefined;
  /** Index of `_job_ids`, the jobs that the row had in that batch. */
  jobsAt: number | undefined;
  /**
   * Whether this is one of our outcome files in CSV, whose cells have the formula guard; also if a person removed
   * `_batch` to run it as a new batch.
   */
  guarded = false;
  /** How many columns the file has, unused ones included. */
  count = 0;
  /** Line of the first header. */
  line = 1;

  readonly #names: ColumnNames;
  readonly #options: ColumnOptions;
  readonly #hasHeader: boolean;
  readonly #alsoKnown: readonly string[];
  readonly #headers = new Map<string, string>();
  readonly #seen = new Set<string>();
  readonly #reported = new Set<string>();

  /**
   * `hasHeader`: false for JSONL, whose columns are the keys of its lines; its cells have no formula guard.
   * `alsoKnown`: columns that no kind of row reads, but that are used otherwise.
   */
  constructor(options: ColumnOptions, hasHeader: boolean, alsoKnown: readonly string[] = []) {
    this.#alsoKnown = alsoKnown;
    this.#names = new ColumnNames(options);
    this.#options = options;
    this.#hasHeader = hasHeader;
  }

  /** Adds columns. Returns findings and warnings about them. */
  add(names: readonly string[]): ColumnNote[] {
    const first = this.count;
    this.count += names.length;
    const trimmed = names.map((name) => name.trim());
    this.guarded = this.#hasHeader && (trimmed.includes('_batch') || trimmed.includes('_outcome'));
    const bare = this.guarded ? trimmed.map(unguardCell) : trimmed;
    const all = new Set([...this.#seen, ...bare]);
    return bare.flatMap((name, index) => this.#addOne(name, first + index, all));
  }

  /** Returns the header of one of our columns in the file; our own name if the file lacks it. */
  headerOf(ours: string): string {
    return this.#headers.get(ours) ?? ours;
  }

  /** Maps our columns to their headers in the file, only those that `mapIfThere` renamed. */
  get mapUsed(): Readonly<Record<string, string>> {
    const used = [...this.#names.oursIfThere].flatMap(([theirs, ours]) => {
      const header = this.#headers.get(ours);
      return header !== undefined && foldHeader(header) === foldHeader(theirs) ? [[ours, header]] : [];
    });
    return Object.fromEntries(used) as Readonly<Record<string, string>>;
  }

  /** Whether a CSV file has no such column. False for JSONL, where a later line may have it. */
  lacks(ours: string): boolean {
    return this.#hasHeader && !this.known.has(ours);
  }

  /** Returns a finding about the header for the first row that has it, and nothing for further rows. */
  once(topic: string, finding: () => Finding): PlacedFinding[] {
    if (this.#reported.has(topic)) return [];
    this.#reported.add(topic);
    return [{ ...finding(), line: this.line }];
  }

  /** Returns the finding for a column that the header lacks. `need`: why it is needed, as the end of a sentence. */
  missing(ours: string, need: string): Finding {
    const like = this.input.find(({ name }) => !this.#isUsed(name) && guessColumn(name, [ours]) === ours)?.name;
    const hint = like === undefined ? '' : `; is it ${show(like)}? Then: --map ${ours}=${like}`;
    const got = `the columns ${show(this.input.map(({ name }) => name).join(', '))}`;
    return { column: ours, expected: `a column ${ours}, ${need}${hint}`, got, code: 'missing-column' };
  }

  /**
   * Finds what is wrong with all columns together: `--map` entries that name no known column, or a header that the file
   * lacks; and a header without any column that a kind reads.
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
    if (this.#hasHeader && !specColumns().some((column) => this.known.has(column))) return [this.#noneKnown()];
    const lacksSpeaker = this.#options.cast !== undefined && this.known.has('text') && !this.known.has(CAST_COLUMN);
    return lacksSpeaker ? [this.missing(CAST_COLUMN, 'with names of the cast')] : [];
  }

  /** Returns the finding for a record that has more or fewer cells than the header. */
  findRagged(cells: readonly string[]): Finding | undefined {
    const { count, input } = this;
    if (cells.length === count) return undefined;
    const expected = `${count} cells, like the header`;
    const got = `${cells.length} cells`;
    if (cells.length > count) return { column: `#${count + 1}`, expected, got, code: 'too-many-cells' };
    const column = input.find(({ at }) => at >= cells.length)?.name ?? `#${cells.length + 1}`;
    return { column, expected, got, code: 'too-few-cells' };
  }

  /** Returns the finding for a header without any column that a kind reads. */
  #noneKnown(): Finding {
    const maps = this.input.flatMap(({ name }) => {
      const meant = this.#guess(name);
      return meant === undefined ? [] : [`--map ${shellWord(`${meant}=${name}`)}`];
    });
    const hint = maps.length === 0 ? '--map renames yours' : `perhaps ${maps.join(' ')}`;
    const expected = `a first line that names the columns, such as text, voice, audio, video (${hint})`;
    return { column: '', expected, got: show([...this.byName.keys()].join(', ')), code: 'no-header' };
  }

  /** Adds a column. `at`: the index of its cells. `all`: the headers read so far, with those beside it. */
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

  /** Returns the note about an unknown column. */
  #unknown(name: string, all: ReadonlySet<string>): ColumnNote {
    const meant = this.#guess(name, all);
    if (this.#options.strict) {
      const hint = meant === undefined ? '' : ` (did you mean ${meant}?)`;
      const expected = `a known column${hint}, or a name that begins with _`;
      return { finding: { column: name, expected, got: show(name), code: 'unknown-column' } };
    }
    const hint = meant === undefined ? '' : `; did you mean ${meant}?`;
    return { column: name, warning: `unknown column, copied to the results${hint}` };
  }

  /** Guesses which of our columns a header is meant as. */
  #guess(name: string, all: ReadonlySet<string> = this.#seen): string | undefined {
    const isThere = (ours: string): boolean => all.has(ours) || this.#headers.has(ours);
    const meant = guessColumn(name, [...this.#names.known], isThere);
    if (meant !== 'duration' || this.#hasMedia(all)) return meant;
    // Without media, a duration can only mean that of the speech.
    return isThere(MAX_SECONDS) ? undefined : MAX_SECONDS;
  }

  #hasMedia(all: ReadonlySet<string>): boolean {
    return [...all].some((name) => ['audio', 'video'].includes(this.#names.oursOf(name, all)));
  }

  /** Whether a header stands for one of our columns. */
  #isUsed(name: string): boolean {
    return [...this.#headers.values()].includes(name);
  }
}
