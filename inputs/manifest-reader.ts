import type { VoiceWait } from '../contract/batch.ts';
import type { Joining } from '../contract/joining.ts';
import type { Kind, RowSpec } from '../contract/row-kinds.ts';
import type { Subset } from '../contract/subset.ts';
import { mayBePartId, type RowPart } from '../contract/row-parts.ts';
import type { TextLimits } from '../contract/text-limits.ts';
import { quoteRow } from '../policy/pricing.ts';
import type { SplitMode } from '../contract/split-modes.ts';
import { fitText } from './fit-text.ts';
import { dialectOfRow } from '../policy/row-dialect.ts';
import type { Columns, RowDefaults } from './header.ts';
import { HeaderCheck } from './header-check.ts';
import { dirname, resolve } from 'node:path';
import type { SampleLimits } from '../contract/sample-limits.ts';
import { checkSamples } from './check-samples.ts';
import { combineDigests } from './file-digest.ts';
import { unguardCell } from './formula-guard.ts';
import { JoinCheck } from './join-check.ts';
import { LinePlaces } from './line-places.ts';
import type { ManifestSource } from './manifest-source.ts';
import { parseRow, type RowDraft } from './parse-row.ts';
import { PreviousRows } from './previous-rows.ts';
import { priceRows, type Priced, type Pricing } from './price-rows.ts';
import { roundCredits } from '../contract/price-units.ts';
import { show, type Finding, type ManifestProblem, type ManifestWarning } from './problems.ts';
import type { RawItem } from './raw-record.ts';
import { readCsv } from './read-csv.ts';
import { readJsonl } from './read-jsonl.ts';
import { notInLegacy } from './not-in-legacy.ts';
import { notVerifiable } from './not-verifiable.ts';
import { RowIdentities } from './row-identity.ts';
import type { VoiceRow } from './voice-uses.ts';

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
  /** Share of the rows that speak the legacy dialect, 0 to 1. Default 0. */
  readonly legacyShare?: number;
  /** `--join`, `--pause`: which rows are put together into one file. Default: none. */
  readonly join?: Joining | undefined;
  /** `--file-name`; default `{id}.{ext}`. */
  readonly nameTemplate: string;
  /** What recordings of a voice may be. Default: `SAMPLE_LIMITS`. */
  readonly samples?: SampleLimits | undefined;
  /** Where files with relative paths are looked for besides the folder of the manifest. Default: the working folder. */
  readonly filesFrom?: string | undefined;
  /** `--limit`, `--sample`: the rows to run. The others are read, checked and priced all the same. Default: all. */
  readonly subset?: Subset | null;
  /** `--split`: how texts are cut that are too long. Default: they are problems. */
  readonly split?: SplitMode;
  /** The longest texts that the API takes, as far as known. */
  readonly textLimits?: TextLimits;
  /** What is known of voices, as they are written there. Default: nothing, so names stay names. */
  readonly voices?: ReadonlyMap<string, VoiceMeant>;
}

/**
 * What a voice of a manifest stands for. `listed`: a voice of the API's list. `made`: the voice that a row of the same
 * manifest makes.
 */
export type VoiceMeant =
  | { readonly type: 'listed'; readonly id: string; readonly isInTraining: boolean }
  | { readonly type: 'made'; readonly row: number };

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
  /** The voice that it waits for. Default: none. */
  readonly waitsFor?: VoiceWait;
  /** What it is spoken in, at least two parts. Default: it is not split. */
  readonly parts?: readonly RowPart[];
  /** The row's number in the batch of an outcome file (`_row`). */
  readonly previousRow?: number;
  /** The ids of the jobs that it had there (`_job_ids`). */
  readonly previousJobs?: readonly string[];
}

/** A row before its price. */
type UnpricedRow = Omit<ManifestRow, keyof Priced | 'parts'> & {
  readonly spec: RowSpec;
  /** Those of its text; empty: it is not split. */
  readonly texts: readonly string[];
};

/** The result of reading a record: a row, or its problems. */
type ReadRow =
  | { readonly row: UnpricedRow }
  | {
      readonly givenId: string;
      readonly findings: readonly Finding[];
      /** What it is in spite of them, as far as that is known. */
      readonly draft?: VoiceRow['spec'] | undefined;
    };

/** Some rows of a file, in order, and the problems between them. */
export interface ManifestPart {
  readonly rows: readonly ManifestRow[];
  readonly problems: readonly ManifestProblem[];
  /** Rows with problems, as far as it is known what they are. */
  readonly drafts: readonly VoiceRow[];
}

const EMPTY_FILE: ManifestProblem = {
  line: 1,
  id: '',
  column: '',
  expected: 'a header and at least one row',
  came: 'an empty file',
  code: 'empty-file',
};

/**
 * Turns the records of a file into rows: identifies the columns, parses the cells, assigns id and name, and prices
 * them. Keeps no row: only hashes of ids and output names, to check that they are unique.
 */
export class ManifestReader {
  /** Rows so far, including bad ones. */
  rows = 0;
  /** sha256 of the bytes of the files, hex; null until their end was reached. */
  digest: string | null = null;
  /** The file that is being read, where there are several. */
  file: string | undefined;

  readonly #source: ManifestSource;
  readonly #options: ManifestOptions;
  readonly #csv: boolean;
  readonly #header: HeaderCheck;
  readonly #identities: RowIdentities;
  readonly #join: JoinCheck | undefined;
  readonly #previous = new PreviousRows();
  readonly #places = new LinePlaces();
  readonly #digests: string[] = [];
  /** Part of a file could not be read, or a file has nothing in it. */
  #isCut = false;
  /** There are rows of which nobody knows what they are. */
  #isUnclear = false;

  /** `unique`: whether to compare ids and names; not needed for the second reading. */
  constructor(source: ManifestSource, options: ManifestOptions, unique: boolean) {
    this.#source = source;
    this.#options = options;
    this.#csv = source.format.format === 'csv';
    this.#join = options.join === undefined ? undefined : new JoinCheck(options.join);
    this.#header = new HeaderCheck(options, this.#csv, this.#join);
    this.#identities = new RowIdentities(options.nameTemplate, { csv: this.#csv, unique, places: this.#places });
  }

  /** Whether nobody knows of some rows what they are. */
  get isCut(): boolean {
    return this.#isCut || this.#isUnclear;
  }

  get columns(): Columns {
    return this.#header.columns;
  }

  get warnings(): ReadonlyMap<string, ManifestWarning> {
    return this.#header.warnings;
  }

  /** The `_batch` of an outcome file. */
  get previousBatch(): string | undefined {
    return this.#previous.batch;
  }

  /** Reads the files to their ends, or as far as anything sensible can be read. */
  async *read(): AsyncGenerator<ManifestPart> {
    const { files } = this.#source;
    const jsonColumns = new Map<string, number>();
    for (const file of files) {
      const { path, label, format } = file;
      this.#places.begin(label);
      this.#header.isOther = false;
      this.file = files.length === 1 ? undefined : label;
      const parts = format.format === 'csv' ? readCsv(file, format.delimiter) : readJsonl(file, jsonColumns);
      // A stream has no folder of its own.
      const folder = path === label ? dirname(resolve(path)) : process.cwd();
      for await (const { rows, problems, drafts } of this.#readFile(parts, folder)) {
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

  async *#readFile(parts: AsyncIterable<readonly RawItem[]>, folder: string): AsyncGenerator<ManifestPart> {
    let isEmpty = true;
    for await (const items of parts) {
      const rows: UnpricedRow[] = [];
      const problems: ManifestProblem[] = [];
      const drafts: VoiceRow[] = [];
      for (const item of items) {
        if (item.type === 'end') {
          this.#addDigest(item.digest);
          continue;
        }
        isEmpty = false;
        if (item.type === 'columns') problems.push(...this.#addColumns(item.line, item.names));
        else if (item.type === 'problem') {
          this.#isCut = true;
          problems.push(item.problem);
        } else {
          this.rows++;
          const read = this.#readRow(item.line, item.cells);
          if ('row' in read) rows.push(read.row);
          else {
            const { givenId: id, draft, findings } = read;
            for (const one of findings) problems.push({ line: item.line, id, ...one });
            if (draft === undefined) this.#isUnclear = true;
            else drafts.push({ spec: draft, row: this.rows, line: item.line, id });
          }
        }
        if (this.#header.hasTooManyColumns) break;
      }
      const whole = await this.#withSamples(rows, folder, problems, drafts);
      const priced = await priceRows(whole, this.#options);
      yield { rows: priced.map((row) => withParts(row, this.#options)), problems, drafts };
      if (this.#header.hasTooManyColumns) return;
    }
    if (!isEmpty) return;
    this.#isCut = true;
    yield { rows: [], drafts: [], problems: [EMPTY_FILE] };
  }

  /** The rows with what their local files are; without those whose files cannot be sent, which become problems and drafts. */
  async #withSamples(
    rows: UnpricedRow[],
    folder: string,
    problems: ManifestProblem[],
    drafts: VoiceRow[],
  ): Promise<UnpricedRow[]> {
    if (rows.every(({ spec }) => spec.samples === undefined)) return rows;
    const { samples: limits, filesFrom = process.cwd() } = this.#options;
    const rules = { folders: [...new Set([folder, filesFrom])], limits };
    const checked = await Promise.all(
      rows.map(async (row) => (row.spec.samples === undefined ? undefined : await checkSamples(row.spec, rules))),
    );
    const column = this.columns.headerOf('samples');
    const whole = rows.flatMap((row, at): UnpricedRow[] => {
      const found = checked[at];
      if (found === undefined) return [row];
      if ('samples' in found) return [{ ...row, spec: { ...row.spec, samples: found.samples } }];
      problems.push(...found.findings.map((one) => ({ line: row.line, id: row.id, column, ...one })));
      drafts.push(row);
      return [];
    });
    problems.sort((a, b) => a.line - b.line);
    return whole;
  }

  #addDigest(digest: string): void {
    this.#digests.push(digest);
    if (this.#digests.length === this.#source.files.length) this.digest = combineDigests(this.#digests);
  }

  #addColumns(line: number, names: readonly string[]): readonly ManifestProblem[] {
    const problems = this.#header.add(line, names);
    this.#isCut ||= this.#header.hasTooManyColumns;
    this.#identities.checksNames = this.#header.isTemplateGood;
    return problems;
  }

  #readRow(line: number, raw: readonly string[]): ReadRow {
    const { columns, rows: row } = this;
    const header = this.#header;
    if (header.isOther) return { givenId: '', findings: [] };
    const { strict, defaults } = this.#options;
    const cells = columns.guarded ? raw.map(unguardCell) : raw;
    // Even if the columns make no sense: the manifest of that batch may have been read with `--map`.
    if (header.isUseless) return { givenId: '', findings: this.#previous.read(columns, cells).findings };
    const givenId = cells[columns.known.get('id') ?? -1]?.trim() ?? '';
    const ragged = this.#csv ? columns.findRagged(cells) : undefined;
    if (ragged !== undefined) return { givenId, findings: [ragged] };
    const { spec, draft, findings, unread } = parseRow(columns, cells, { kind: header.kind, defaults, strict });
    if (!strict) for (const column of unread) header.warnOfUnread(column, line);
    const place = this.#places.placeOf(line);
    const identity = this.#identities.identify({ columns, cells, givenId, place, row, kind: spec?.kind });
    const previous = columns.batchAt === undefined ? undefined : this.#previous.read(columns, cells);
    const { id, name } = identity;
    const dialect = draft && dialectOfRow(draft, id, this.#options.legacyShare ?? 0);
    const unspoken = spec !== undefined && dialect === undefined ? [notInLegacy(spec)] : [];
    const unheard = spec === undefined ? undefined : notVerifiable(spec, this.#options.tts);
    const joined = this.#join?.findWrong(columns, { cells, kind: spec?.kind, name, row }) ?? [];
    const fitted = spec === undefined ? undefined : fitText(spokenIn(spec, dialect), this.#options);
    const long =
      fitted !== undefined && 'finding' in fitted ? [{ column: columns.headerOf('text'), ...fitted.finding }] : [];
    const unsplit = this.#options.split !== undefined && mayBePartId(givenId) ? [this.#idOfPart(givenId)] : [];
    const all = [
      ...(previous?.findings ?? []),
      ...findings,
      ...identity.findings,
      ...unspoken,
      ...(unheard === undefined ? [] : [unheard]),
      ...joined,
      ...long,
      ...unsplit,
    ];
    if (spec === undefined || all.length > 0)
      return { givenId, findings: all, draft: draft && spokenIn(draft, dialect) };
    const input = columns.input.map(({ at }) => cells[at] ?? '');
    const texts = fitted !== undefined && 'parts' in fitted ? fitted.parts : [];
    const found = { row, line, id, ...withVoice(spokenIn(spec, dialect), this.#options.voices), input, name, texts };
    if (previous?.row === undefined) return { row: found };
    return { row: { ...found, previousRow: previous.row, previousJobs: previous.jobs ?? [] } };
  }

  #idOfPart(id: string): Finding {
    const expected = 'an id that does not end in # and a number: with --split, parts of rows have such ids';
    return { column: this.columns.headerOf('id'), expected, came: show(id), code: 'part-id' };
  }

  /** Problems that are known only at the end. */
  #findMissing(): readonly ManifestProblem[] {
    const at = { line: 1, id: '' };
    if (this.#isCut && this.rows === 0) return [];
    if (this.rows === 0) {
      return [
        { ...at, column: '', expected: 'at least one row below the header', came: 'only a header', code: 'no-rows' },
      ];
    }
    return this.#csv ? [] : this.#header.checkWhole().map((finding) => ({ ...at, ...finding }));
  }
}

function spokenIn<S extends RowDraft>(spec: S, dialect: ReturnType<typeof dialectOfRow>): S {
  return dialect === 'legacy' ? { ...spec, dialect } : spec;
}

/** A row whose text was cut costs what its parts cost. */
function withParts({ texts, ...row }: UnpricedRow & Priced, { tts, prices }: Pricing): ManifestRow {
  if (texts.length === 0) return row;
  const parts = texts.map((text) => {
    const spec = { ...row.spec, text };
    return { spec, quoted: quoteRow(spec.kind, spec, tts, prices) };
  });
  return { ...row, parts, quoted: sumOf(parts) };
}

function sumOf(parts: readonly RowPart[]): number | null {
  const quotes = parts.flatMap(({ quoted }) => quoted ?? []);
  return quotes.length < parts.length ? null : roundCredits(quotes.reduce((sum, quote) => sum + quote, 0));
}

/** A row's spec with the id of its voice, and what it waits for. */
function withVoice(spec: RowSpec, voices: ManifestOptions['voices']): Pick<UnpricedRow, 'spec' | 'waitsFor'> {
  const meant = voices?.get(spec.voice ?? '');
  if (meant === undefined) return { spec };
  if (meant.type === 'made') return { spec, waitsFor: meant };
  const { id, isInTraining } = meant;
  const known = spec.voice === id ? spec : { ...spec, voice: id };
  return isInTraining ? { spec: known, waitsFor: { type: 'training', voice: id } } : { spec: known };
}
