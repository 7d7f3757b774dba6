import { decimalOf, type Decimal } from '../contract/table-format.ts';
import { namesFiles } from './local-media/path-cells.ts';
import { combineDigests } from './regular-file.ts';
import type { Columns } from './columns.ts';
import { HeaderCheck } from './header-check.ts';
import { LinePlaces } from './row-identity.ts';
import type { ManifestOptions, ManifestRow, UnpricedRow } from './manifest-options.ts';
import type { ManifestSource } from './manifest-source.ts';
import { priceParts, priceRows } from './money/price-rows.ts';
import type { ManifestProblem, ManifestWarning } from '../contract/manifest-problems.ts';
import type { RawItem } from './check-bytes.ts';
import { RowReader } from './row-reader.ts';
import type { VoiceRow } from './voices/voice-uses.ts';

/** Some rows of a manifest, in order, and the problems between them. */
export interface ManifestPart {
  readonly rows: readonly ManifestRow[];
  readonly problems: readonly ManifestProblem[];
  /** The parsed parts of rows with problems: the voices that they use are counted, too. */
  readonly drafts: readonly VoiceRow[];
}

/** The problem of a file without any record. */
const EMPTY_FILE: ManifestProblem = {
  line: 1,
  id: '',
  column: '',
  expected: 'a header and at least one row',
  got: 'an empty file',
  code: 'empty-file',
};

/**
 * Reads a manifest once: turns the records of its files into priced rows and problems. Keeps no rows, only hashes of
 * ids and output names, to check that they are unique. `read-manifest.ts` uses it to check a manifest, and again to
 * load it. Each portion of a file goes this way: {@link HeaderCheck} takes new columns, {@link RowReader} turns records
 * into rows or findings, local files are attached, and the rows are priced.
 */
export class ManifestReader {
  /** Rows so far, including bad ones. */
  rows = 0;
  /** sha256 of the bytes of all files, in hex; null before the end. */
  digest: string | null = null;
  /** Label of the current file, if there are several. */
  file: string | undefined;

  readonly #source: ManifestSource;
  readonly #options: ManifestOptions;
  /** False for JSONL, whose columns are the keys of its lines. */
  readonly #hasHeader: boolean;
  readonly #header: HeaderCheck;
  readonly #reader: RowReader;
  readonly #places = new LinePlaces();
  readonly #digests: string[] = [];
  /** Whether a part of a file could not be read, or a file is empty. */
  #isCut = false;
  /** Decimal separator of the current file. */
  #decimal: Decimal = '.';
  /** Whether the kind of some rows is unknown. */
  #isUnclear = false;

  private constructor(
    source: ManifestSource,
    options: ManifestOptions,
    checksDuplicates: boolean,
    checks: OptionalChecks,
  ) {
    this.#source = source;
    this.#options = options;
    this.#hasHeader = source.format.format !== 'jsonl';
    this.#header = new HeaderCheck(options, this.#hasHeader, checks.join);
    this.#reader = new RowReader(options, {
      ...checks,
      hasHeader: this.#hasHeader,
      checksDuplicates,
      header: this.#header,
      places: this.#places,
      decimal: () => this.#decimal,
    });
  }

  /** `checksDuplicates`: whether ids and names must be unique, which the second pass need not check again. */
  static async open(
    source: ManifestSource,
    options: ManifestOptions,
    { checksDuplicates }: { readonly checksDuplicates: boolean },
  ): Promise<ManifestReader> {
    return new ManifestReader(source, options, checksDuplicates, await loadOptionalChecks(options));
  }

  /** Whether some rows could not be read, or their kind is unknown. */
  get isCut(): boolean {
    return this.#isCut || this.#isUnclear;
  }

  /** The columns read so far. */
  get columns(): Columns {
    return this.#header.columns;
  }

  /** The warnings so far, by column. */
  get warnings(): ReadonlyMap<string, ManifestWarning> {
    return this.#header.warnings;
  }

  /** The batch that an outcome file names in `_batch`; undefined for any other file. */
  get previousBatch(): string | undefined {
    return this.#reader.previousBatch;
  }

  /** Reads the files, to the end or up to a problem that makes the rest unreadable. */
  async *read(): AsyncGenerator<ManifestPart> {
    const { files } = this.#source;
    const jsonColumns = new Map<string, number>();
    for (const file of files) {
      const { label, format, folder } = file;
      this.#places.begin(label);
      this.#header.isOther = false;
      this.#decimal = format.format === 'csv' ? decimalOf(format) : (this.#options.decimal ?? '.');
      this.file = files.length === 1 ? undefined : label;
      for await (const { rows, problems, drafts } of this.#readFile(await itemsOf(file, jsonColumns), folder)) {
        yield {
          rows,
          drafts,
          problems: files.length === 1 ? problems : problems.map((one) => ({ ...one, file: label })),
        };
      }
      if (this.#header.hasTooManyColumns) break;
    }
    yield { rows: [], drafts: [], problems: this.#findMissing() };
  }

  /** Reads and prices the rows of a file, after reading the local files that they name. */
  async *#readFile(portions: AsyncIterable<readonly RawItem[]>, folder: string): AsyncGenerator<ManifestPart> {
    const { samples: limits, filesFrom = [process.cwd()] } = this.#options;
    const folders = [...new Set([folder, ...filesFrom])];
    const rules = { folders, limits };
    let isEmpty = true;
    for await (const items of portions) {
      isEmpty &&= items.every(({ type }) => type === 'end');
      const { rows, problems, drafts } = this.#readItems(items);
      const attached = rows.some(({ spec }) => namesFiles(spec))
        ? await (await import('./attach-files.ts')).attachFiles(rows, rules, this.columns)
        : { rows, problems: [], faulty: [] };
      const priced = await priceRows(attached.rows, this.#options);
      yield {
        rows: priced.map((row) => priceParts(row, this.#options)),
        problems: [...problems, ...attached.problems].sort((a, b) => a.line - b.line),
        drafts: [...drafts, ...attached.faulty],
      };
      if (this.#header.hasTooManyColumns) return;
    }
    if (!isEmpty) return;
    this.#isCut = true;
    yield { rows: [], drafts: [], problems: [EMPTY_FILE] };
  }

  /** Reads records into rows that are not priced yet. */
  #readItems(items: readonly RawItem[]): Omit<ManifestPart, 'rows'> & { readonly rows: readonly UnpricedRow[] } {
    const rows: UnpricedRow[] = [];
    const problems: ManifestProblem[] = [];
    const drafts: VoiceRow[] = [];
    for (const item of items) {
      if (item.type === 'end') this.#addDigest(item.digest);
      else if (item.type === 'columns') {
        problems.push(...this.#header.add(item.line, item.names));
        if (!this.#header.hasTooManyColumns) continue;
        this.#isCut = true;
        break;
      } else if (item.type === 'problem') {
        this.#isCut = true;
        problems.push(item.problem);
      } else {
        const { line, cells } = item;
        if (this.#hasHeader && cells.every((cell) => cell.trim() === '')) {
          this.#header.noteEmpty(line);
          continue;
        }
        const read = this.#reader.read(line, cells, ++this.rows);
        if ('row' in read) {
          rows.push(read.row);
          continue;
        }
        const { givenId: id, draft, speaker, findings } = read;
        // A finding with a line of its own is about the header, not about this row.
        for (const one of findings) problems.push({ line, id: one.line === undefined ? id : '', ...one });
        if (draft === undefined) this.#isUnclear = true;
        else drafts.push({ spec: draft, row: this.rows, line, id, speaker });
      }
    }
    return { rows, problems, drafts };
  }

  /** Adds the digest of a file. After the last one, {@link digest} is known. */
  #addDigest(digest: string): void {
    this.#digests.push(digest);
    if (this.#digests.length === this.#source.files.length) this.digest = combineDigests(this.#digests);
  }

  /** Finds the problems that are known only at the end. */
  #findMissing(): readonly ManifestProblem[] {
    const at = { line: 1, id: '' };
    if (this.#isCut && this.rows === 0) return [];
    if (this.rows === 0) {
      return [
        { ...at, column: '', expected: 'at least one row below the header', got: 'only a header', code: 'no-rows' },
      ];
    }
    return this.#hasHeader ? [] : this.#header.checkTogether().map((finding) => ({ ...at, ...finding }));
  }
}

/** Opens the reader for the format of a file. `jsonColumns`: the columns of earlier JSONL files. */
async function itemsOf(
  file: ManifestSource['files'][number],
  jsonColumns: Map<string, number>,
): Promise<AsyncIterable<readonly RawItem[]>> {
  switch (file.format.format) {
    case 'csv':
      return (await import('./read-csv.ts')).readCsv(file, file.format.delimiter);
    case 'jsonl':
      return (await import('./read-jsonl.ts')).readJsonl(file, jsonColumns);
    case 'xlsx':
      return (await import('./workbook/read-spooled.ts')).readSpooled(file);
  }
}

type OptionalChecks = Awaited<ReturnType<typeof loadOptionalChecks>>;

/**
 * Loads the checks that only some manifests need: of joins, casts and text lengths. Each is undefined where the options
 * do not ask for it.
 */
async function loadOptionalChecks({ join, cast, split, textLimits = {} }: ManifestOptions) {
  const mayBeTooLong = split !== undefined || Object.keys(textLimits).length > 0;
  return {
    join: join && new (await import('./sound/join-check.ts')).JoinCheck(join),
    cast: cast && new (await import('./cast/cast-voices.ts')).CastVoices(cast),
    fitText: mayBeTooLong ? (await import('./text-limits.ts')).fitText : undefined,
  };
}
