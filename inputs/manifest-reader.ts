import type { Kind, RowSpec } from '../contract/row-kinds.ts';
import { quoteRow } from '../policy/pricing.ts';
import { Columns, SPEC_COLUMNS } from './columns.ts';
import type { Pricing } from './find-duration.ts';
import { unguardCell } from './formula-guard.ts';
import type { ManifestSource } from './manifest-source.ts';
import { NameCheck } from './name-check.ts';
import { findBadTemplate, makeName } from './output-name.ts';
import { findBadId } from './parse-cells.ts';
import { parseRow } from './parse-row.ts';
import type { RowDefaults } from './row-defaults.ts';
import { show } from './problems.ts';
import type { Finding, ManifestProblem, ManifestWarning } from './problems.ts';
import { MAX_COLUMNS } from './raw-record.ts';
import type { RawItem } from './raw-record.ts';
import { IdMaker } from './row-id.ts';
import { safeId } from './safe-id.ts';
import { SeenTable } from './seen-table.ts';

/** Everything besides the file that shapes its rows. */
export interface ManifestOptions extends Pricing {
  /** `--kind`: the kind of every row whose `kind` cell is empty. Default: inferred. */
  readonly kind?: Kind | undefined;
  /** Values for empty cells. */
  readonly defaults: RowDefaults;
  /** `--map text=script`: our column → the header in the file. */
  readonly map: Readonly<Record<string, string>>;
  /** Whether unknown columns and cells that a row does not read are errors rather than warnings. */
  readonly strict: boolean;
  /** `--file-name`; default `{id}.{ext}`. */
  readonly nameTemplate: string;
}

/** A row that is ready for the ledger. */
export interface ManifestRow {
  /** 1-based position among the rows. */
  readonly row: number;
  /** Physical line of the record's first line, header = 1. */
  readonly line: number;
  readonly id: string;
  readonly spec: RowSpec;
  /** The input cells in the order of the summary's columns, as they came. */
  readonly input: readonly string[];
  /** Credits, or null if no price can be known from the row alone. */
  readonly quoted: number | null;
  /** File name of the result below `media/`, `{ext}` left in. */
  readonly name: string;
  /** The row's number in the batch that an outcome file is of (`_row`). */
  readonly previousRow?: number;
}

/** What became of one item of the file. */
export interface Progress {
  readonly row?: ManifestRow;
  readonly problems: readonly ManifestProblem[];
  /** Nothing sensible can be read after this. */
  readonly stop?: true;
}

const NOTHING: Progress = { problems: [] };

/**
 * Turns the items of a file into rows and problems, one at a time. Holds no row: only hashes of ids and output names, for
 * the check that they are unique.
 */
export class ManifestReader {
  readonly columns: Columns;
  readonly warnings = new Map<string, ManifestWarning>();
  /** The `_batch` of an outcome file. */
  previousBatch: string | undefined;
  rows = 0;

  readonly #options: ManifestOptions;
  readonly #csv: boolean;
  readonly #unique: boolean;
  readonly #ids = new SeenTable();
  readonly #names: NameCheck;
  readonly #idMaker = new IdMaker();
  #headerLine: number | undefined;
  /** The columns are so wrong that every row would only repeat it. */
  #skipsRows = false;
  #checksNames = true;
  #cut = false;

  /** `unique`: whether ids and names are compared; not needed the second time. */
  constructor(source: ManifestSource, options: ManifestOptions, unique: boolean) {
    this.#options = options;
    this.#csv = source.format.format === 'csv';
    this.#unique = unique;
    this.#names = new NameCheck(options.nameTemplate, unique);
    this.columns = new Columns(options.map, options.strict, this.#csv);
  }

  accept(item: RawItem): Progress {
    switch (item.type) {
      case 'columns':
        return this.#addColumns(item.line, item.names);
      case 'record':
        this.rows++;
        return this.#skipsRows ? this.#readOrigin(item.line, item.cells) : this.#readRow(item.line, item.cells);
      case 'problem':
        this.#cut = true;
        return { problems: [item.problem] };
      case 'end':
        return NOTHING;
    }
  }

  /** What can be said only when all was read. */
  finish(): readonly ManifestProblem[] {
    const whole = (expected: string, came: string, code: 'empty-file' | 'no-rows'): ManifestProblem[] => [
      { line: 1, id: '', column: '', expected, came, code },
    ];
    if (this.#cut && this.rows === 0) return [];
    if (this.#headerLine === undefined) return whole('a header and at least one row', 'an empty file', 'empty-file');
    if (this.rows === 0) return whole('at least one row below the header', 'only a header', 'no-rows');
    return this.#csv ? [] : this.#checkColumns().map((finding) => ({ line: 1, id: '', ...finding }));
  }

  #addColumns(line: number, names: readonly string[]): Progress {
    this.#headerLine ??= line;
    const count = this.columns.count + names.length;
    if (count > MAX_COLUMNS) {
      this.#cut = true;
      const expected = `at most ${MAX_COLUMNS} columns; the rest was not checked`;
      const problem = {
        line,
        id: '',
        column: '',
        expected,
        came: `${count} columns`,
        code: 'too-many-columns',
      } as const;
      return { problems: [problem], stop: true };
    }
    const findings: Finding[] = [];
    for (const note of this.columns.add(names)) {
      if ('finding' in note) findings.push(note.finding);
      else this.warnings.set(note.column, { column: note.column, message: note.warning, line, rows: null });
    }
    if (this.#csv) findings.push(...this.#checkColumns());
    return { problems: findings.map((finding) => ({ line, id: '', ...finding })) };
  }

  /** What concerns the columns together; for JSONL that is known at the end only. */
  #checkColumns(): Finding[] {
    const findings = this.columns.checkMap();
    const meaningful = SPEC_COLUMNS.some((column) => this.columns.known.has(column));
    if (this.#csv && !meaningful && findings.length === 0) {
      findings.push({
        column: '',
        expected: 'a header with columns such as text, voice, audio, video (--map renames yours)',
        came: show([...this.columns.byName.keys()].join(', ')),
        code: 'no-header',
      });
    }
    this.#skipsRows = findings.length > 0;
    const badTemplate = findBadTemplate(this.#options.nameTemplate, (name) => this.#placeOf(name) !== undefined);
    this.#checksNames = badTemplate === undefined;
    return badTemplate === undefined ? findings : [...findings, badTemplate];
  }

  /** Where the columns make no sense, a row still tells which batch it is of: that one's manifest may have been read with `--map`. */
  #readOrigin(line: number, cells: readonly string[]): Progress {
    const problems: ManifestProblem[] = [];
    this.#readPrevious(this.#cellsOf(cells), (finding) => void problems.push({ line, id: '', ...finding }));
    return { problems };
  }

  /** The cells of a record by place, as they were before they were made harmless. */
  #cellsOf(cells: readonly string[]): (at: number) => string {
    return (at) => (this.columns.guarded ? unguardCell(cells[at] ?? '') : (cells[at] ?? ''));
  }

  #readRow(line: number, cells: readonly string[]): Progress {
    const { columns } = this;
    const cellAt = this.#cellsOf(cells);
    const idAt = columns.known.get('id');
    const givenId = idAt === undefined ? '' : cellAt(idAt).trim();
    const problems: ManifestProblem[] = [];
    const report = (finding: Finding): void => void problems.push({ line, id: givenId, ...finding });

    const ragged = this.#csv ? this.#findRagged(cells) : undefined;
    if (ragged !== undefined) return { problems: [{ line, id: givenId, ...ragged }] };
    const previousRow = this.#readPrevious(cellAt, report);

    const parsed = parseRow(columns, cellAt, {
      kind: this.#options.kind,
      defaults: this.#options.defaults,
      strict: this.#options.strict,
      inferFromColumns: this.#csv,
    });
    parsed.findings.forEach(report);
    if (!this.#options.strict) {
      for (const column of parsed.unread) this.#countUnread(column, line);
    }

    const input = columns.input.map(({ at }) => cellAt(at));
    const named = columns.input.flatMap(({ name, at }) => (cellAt(at) === '' ? [] : [[name, cellAt(at)] as const]));
    const id = givenId === '' ? this.#idMaker.make(named) : givenId;
    const badId = givenId === '' ? undefined : findBadId(givenId, columns.headerOf('id'));
    if (badId !== undefined) report(badId);
    // Without a column for them all ids are made from content, and so that they differ. JSON lines may bring one later.
    const mayClash = this.#unique && (idAt !== undefined || !this.#csv);
    const twice = mayClash ? this.#ids.lineBefore(this.#names.keyOfId(id), line) : undefined;
    if (twice !== undefined) {
      const alike = this.#names.isById ? ', ignoring case' : '';
      const expected = `a unique id${alike}; line ${twice} has the same`;
      report({ column: columns.headerOf('id'), expected, came: show(id), code: 'duplicate-id' });
    }
    const { spec } = parsed;
    if (spec === undefined) return { problems };

    const cellOf = (column: string): string | undefined => {
      const at = this.#placeOf(column);
      return at === undefined ? undefined : cellAt(at);
    };
    const name = makeName(this.#options.nameTemplate, { id: safeId(id), row: this.rows, kind: spec.kind, cellOf });
    // A bad or repeated id spoils its name too; once is enough.
    const soundId = badId === undefined && twice === undefined;
    const badName = soundId && this.#checksNames ? this.#names.findBadName(name, line, cellOf) : undefined;
    if (badName !== undefined) report(badName);
    if (problems.length > 0) return { problems };
    const quoted = quoteRow(spec.kind, spec, this.#options.tts, this.#options.prices);
    const row = { row: this.rows, line, id, spec, input, quoted, name };
    return { row: previousRow === undefined ? row : { ...row, previousRow }, problems };
  }

  #findRagged(cells: readonly string[]): Finding | undefined {
    const { count, input } = this.columns;
    if (cells.length === count) return undefined;
    const expected = `${count} cells, like the header`;
    const came = `${cells.length} cells`;
    if (cells.length > count) return { column: `#${count + 1}`, expected, came, code: 'too-many-cells' };
    const column = input.find(({ at }) => at >= cells.length)?.name ?? `#${cells.length + 1}`;
    return { column, expected, came, code: 'too-few-cells' };
  }

  /** Checks which batch a row of an outcome file is of; returns which row of it. */
  #readPrevious(cellAt: (at: number) => string, report: (finding: Finding) => void): number | undefined {
    const { batchAt, rowAt } = this.columns;
    const batch = batchAt === undefined ? '' : cellAt(batchAt).trim();
    if (batch === '') return undefined;
    this.previousBatch ??= batch;
    if (batch !== this.previousBatch) {
      const expected = `rows of one batch (${show(this.previousBatch)})`;
      report({ column: '_batch', expected, came: show(batch), code: 'mixed-batches' });
    }
    const cell = rowAt === undefined ? '' : cellAt(rowAt).trim();
    if (cell === '') return undefined;
    if (/^[1-9]\d{0,14}$/.test(cell)) return Number(cell);
    report({ column: '_row', expected: 'the number of a row of that batch', came: show(cell), code: 'bad-number' });
    return undefined;
  }

  #placeOf(name: string): number | undefined {
    return this.columns.byName.get(name);
  }

  #countUnread(column: string, line: number): void {
    const message = 'filled in rows whose kind does not use it; copied to the results';
    const known = this.warnings.get(column);
    this.warnings.set(column, { column, message, line: known?.line ?? line, rows: (known?.rows ?? 0) + 1 });
  }
}
