import type { Kind, RowSpec } from '../contract/row-kinds.ts';
import type { Subset } from '../contract/subset.ts';
import { Columns, type RowDefaults } from './header.ts';
import { unguardCell } from './formula-guard.ts';
import { kindOfColumns } from './infer-kind.ts';
import type { ManifestSource } from './manifest-source.ts';
import { findBadTemplate } from './output-name.ts';
import { parseRow } from './parse-row.ts';
import { PreviousRows } from './previous-rows.ts';
import { priceRows, type Priced, type Pricing } from './price-rows.ts';
import type { Finding, ManifestProblem, ManifestWarning } from './problems.ts';
import { MAX_COLUMNS } from './raw-record.ts';
import { readCsv } from './read-csv.ts';
import { readJsonl } from './read-jsonl.ts';
import { RowIdentities } from './row-identity.ts';

/** Everything besides the file that shapes its rows. */
export interface ManifestOptions extends Pricing {
  /** `--kind`: the kind of every row whose `kind` cell is empty. Default: inferred. */
  readonly kind?: Kind | undefined;
  /** Values for empty cells. */
  readonly defaults: RowDefaults;
  /** `--map text=script`: our column → the header in the file. */
  readonly map: Readonly<Record<string, string>>;
  /** Whether unknown columns and unused cells are errors instead of warnings. */
  readonly strict: boolean;
  /** `--file-name`; default `{id}.{ext}`. */
  readonly nameTemplate: string;
  /** `--limit`, `--sample`: the rows to run. The others are read, checked and priced all the same. Default: all. */
  readonly subset?: Subset | null;
}

/** A row that is ready for the ledger. */
export interface ManifestRow extends Priced {
  /** 1-based position among the rows. */
  readonly row: number;
  /** Physical line of the record's first line, header = 1. */
  readonly line: number;
  readonly id: string;
  /** The unchanged input cells, in the order of the summary's columns. */
  readonly input: readonly string[];
  /** File name of the result below `media/`, `{ext}` left in. */
  readonly name: string;
  /** The row's number in the batch of an outcome file (`_row`). */
  readonly previousRow?: number;
  /** The ids of the jobs that it had there (`_job_ids`). */
  readonly previousJobs?: readonly string[];
}

/** A row before its price. */
type UnpricedRow = Omit<ManifestRow, keyof Priced> & { readonly spec: RowSpec };

/** The result of reading a record: a row, or its problems. */
type ReadRow = { readonly row: UnpricedRow } | { readonly givenId: string; readonly findings: readonly Finding[] };

/** Some rows of a file, in order, and the problems between them. */
export interface ManifestPart {
  readonly rows: readonly ManifestRow[];
  readonly problems: readonly ManifestProblem[];
}

/**
 * Turns the records of a file into rows: identifies the columns, parses the cells, assigns id and name, and prices
 * them. Keeps no row: only hashes of ids and output names, to check that they are unique.
 */
export class ManifestReader {
  readonly columns: Columns;
  readonly warnings = new Map<string, ManifestWarning>();
  /** Rows so far, including bad ones. */
  rows = 0;
  /** sha256 of the bytes of the file, hex; null until its end was reached. */
  digest: string | null = null;

  readonly #source: ManifestSource;
  readonly #options: ManifestOptions;
  readonly #csv: boolean;
  readonly #identities: RowIdentities;
  readonly #previous = new PreviousRows();
  #headerLine: number | undefined;
  /** `--kind`, or the kind that the columns of a CSV file imply. */
  #kind: Kind | undefined;
  /** The columns are so wrong that every row would only repeat it. */
  #skipsRows = false;
  #hasTooManyColumns = false;
  /** Part of the file could not be read. */
  #isCut = false;

  /** `unique`: whether to compare ids and names; not needed for the second reading. */
  constructor(source: ManifestSource, options: ManifestOptions, unique: boolean) {
    this.#source = source;
    this.#options = options;
    this.#csv = source.format.format === 'csv';
    this.#kind = options.kind;
    this.columns = new Columns(options.map, options.strict, this.#csv);
    this.#identities = new RowIdentities(options.nameTemplate, { csv: this.#csv, unique });
  }

  /** The `_batch` of an outcome file. */
  get previousBatch(): string | undefined {
    return this.#previous.batch;
  }

  /** Reads the file to its end, or as far as anything sensible can be read. */
  async *read(): AsyncGenerator<ManifestPart> {
    const { path, format } = this.#source;
    const parts = format.format === 'csv' ? readCsv(path, format.delimiter) : readJsonl(path);
    for await (const items of parts) {
      const rows: UnpricedRow[] = [];
      const problems: ManifestProblem[] = [];
      for (const item of items) {
        if (item.type === 'columns') problems.push(...this.#addColumns(item.line, item.names));
        else if (item.type === 'end') this.digest = item.digest;
        else if (item.type === 'problem') {
          this.#isCut = true;
          problems.push(item.problem);
        } else {
          this.rows++;
          const read = this.#readRow(item.line, item.cells);
          if ('row' in read) rows.push(read.row);
          else for (const one of read.findings) problems.push({ line: item.line, id: read.givenId, ...one });
        }
        if (this.#hasTooManyColumns) break;
      }
      yield { rows: await priceRows(rows, this.#options), problems };
      if (this.#hasTooManyColumns) break;
    }
    yield { rows: [], problems: this.#findMissing() };
  }

  #addColumns(line: number, names: readonly string[]): readonly ManifestProblem[] {
    this.#headerLine ??= line;
    const count = this.columns.count + names.length;
    if (count > MAX_COLUMNS) {
      this.#isCut = true;
      this.#hasTooManyColumns = true;
      const expected = `at most ${MAX_COLUMNS} columns; the rest was not checked`;
      return [{ line, id: '', column: '', expected, came: `${count} columns`, code: 'too-many-columns' }];
    }
    const findings: Finding[] = [];
    for (const note of this.columns.add(names)) {
      if ('finding' in note) findings.push(note.finding);
      else this.warnings.set(note.column, { column: note.column, message: note.warning, line, rows: null });
    }
    if (this.#csv) {
      findings.push(...this.#checkColumns());
      this.#kind ??= kindOfColumns(this.columns);
    }
    return findings.map((finding) => ({ line, id: '', ...finding }));
  }

  /** Problems of the columns as a whole; for JSONL they are known only at the end. */
  #checkColumns(): Finding[] {
    const findings = this.columns.findWrong();
    this.#skipsRows = findings.length > 0;
    const badTemplate = findBadTemplate(this.#options.nameTemplate, (name) => this.columns.byName.has(name));
    this.#identities.checksNames = badTemplate === undefined;
    return badTemplate === undefined ? findings : [...findings, badTemplate];
  }

  #readRow(line: number, raw: readonly string[]): ReadRow {
    const { columns, rows: row } = this;
    const { strict, defaults } = this.#options;
    const cells = columns.guarded ? raw.map(unguardCell) : raw;
    // Even if the columns make no sense: the manifest of that batch may have been read with `--map`.
    if (this.#skipsRows) return { givenId: '', findings: this.#previous.read(columns, cells).findings };
    const givenId = cells[columns.known.get('id') ?? -1]?.trim() ?? '';
    const ragged = this.#csv ? columns.findRagged(cells) : undefined;
    if (ragged !== undefined) return { givenId, findings: [ragged] };
    const { spec, findings, unread } = parseRow(columns, cells, { kind: this.#kind, defaults, strict });
    if (!strict) for (const column of unread) this.#warnOfUnread(column, line);
    const identity = this.#identities.identify({ columns, cells, givenId, line, row, kind: spec?.kind });
    const previous = columns.batchAt === undefined ? undefined : this.#previous.read(columns, cells);
    const all = [...(previous?.findings ?? []), ...findings, ...identity.findings];
    if (spec === undefined || all.length > 0) return { givenId, findings: all };
    const { id, name } = identity;
    const input = columns.input.map(({ at }) => cells[at] ?? '');
    const found = { row, line, id, spec, input, name };
    if (previous?.row === undefined) return { row: found };
    return { row: { ...found, previousRow: previous.row, previousJobs: previous.jobs ?? [] } };
  }

  #warnOfUnread(column: string, line: number): void {
    const message = 'filled in rows whose kind does not use it; copied to the results';
    const known = this.warnings.get(column);
    this.warnings.set(column, { column, message, line: known?.line ?? line, rows: (known?.rows ?? 0) + 1 });
  }

  /** Problems that are known only at the end. */
  #findMissing(): readonly ManifestProblem[] {
    const at = { line: 1, id: '' };
    if (this.#isCut && this.rows === 0) return [];
    if (this.#headerLine === undefined) {
      return [
        { ...at, column: '', expected: 'a header and at least one row', came: 'an empty file', code: 'empty-file' },
      ];
    }
    if (this.rows === 0) {
      return [
        { ...at, column: '', expected: 'at least one row below the header', came: 'only a header', code: 'no-rows' },
      ];
    }
    return this.#csv ? [] : this.#checkColumns().map((finding) => ({ ...at, ...finding }));
  }
}
