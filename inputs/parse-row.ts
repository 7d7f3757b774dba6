import { inspectJson, isTooDeep, parseApiCell, parseSignedNumber, TOO_DEEP } from '../contract/exact-json.ts';
import {
  boundsOf,
  cellOf,
  columnsOfKind,
  memoizePerKind,
  wordsOf,
  type Kind,
  type LocalFile,
  type RowSpec,
  type SpecColumn,
} from '../contract/row-kinds.ts';
import { ownColumnOf } from '../policy/rows/column-of-field.ts';
import { requestedVoiceName } from '../policy/voices/voice-name.ts';
import type { CastValues, CastVoices } from './cast/cast-voices.ts';
import type { Columns, PlacedFinding } from './columns.ts';
import { specColumns } from './header-names.ts';
import { decideKind } from './row-kind.ts';
import type { RowDefaults } from '../contract/batch.ts';
import { cellOfPath, NO_LINKS, type LocalMediaRules } from './local-media/path-cells.ts';
import { show, type Finding } from '../contract/manifest-problems.ts';
import type { Decimal } from '../contract/table-format.ts';
import { MAX_CELL_BYTES } from '../contract/api-limits.ts';
import { parseUnsignedNumber } from '../contract/value-kinds.ts';
import { parseVerifyThreshold, THRESHOLD_FORM } from '../contract/verify.ts';

/** A row that may lack some cells. */
export type RowDraft = Partial<RowSpec> & Pick<RowSpec, 'kind'>;

/** The cells of a row, parsed. */
export interface ParsedRow {
  /** Undefined if there are findings about the row, or about its header. */
  readonly spec: RowSpec | undefined;
  /** Its kind and usable cells, even if there are findings; undefined if its kind is unknown. */
  readonly draft?: RowDraft;
  readonly findings: readonly PlacedFinding[];
  /** The speaker of the cast that gives the row its voice; undefined without one. */
  readonly speaker?: string | undefined;
  /** Known columns that are filled but unused by the row's kind, as named in the file. */
  readonly unused: readonly string[];
}

/** Matches text that UTF-8 cannot encode, or with NUL; only JSON escapes can produce it. */
const UNSENDABLE = /[\0\p{Cs}]/u;

/** The finding for a voice that is `name:` without a name. */
const NAMELESS = {
  finding: { expected: 'the id of a voice, or name: and its name', got: 'name: alone', code: 'bad-voice-name' },
} as const;

/** The rule for durations. */
const SECONDS: NumberRule = { expected: 'seconds as a number over 0', holds: (value: number) => value > 0 };

/** The rules for all rows of a manifest. */
export interface RowRules {
  /**
   * The kind of rows that state none: `--kind`, or the kind implied by the columns. Undefined if each row's cells must
   * imply it.
   */
  readonly kind: Kind | undefined;
  /** Values for empty cells. */
  readonly defaults: RowDefaults;
  /** Whether filled cells that a row does not read are errors. */
  readonly strict: boolean;
  /** See `manifest-options.ts`. Default: no local files. */
  readonly localMedia?: LocalMediaRules | undefined;
  /** See `manifest-options.ts`. Default false. */
  readonly anyApiField?: boolean | undefined;
  /** Decimal separator, besides a point. Default: a point only. */
  readonly decimal?: Decimal;
  /** The speakers of the cast. Default: none; each row names its voice. */
  readonly cast?: CastVoices | undefined;
}

/**
 * Parses a row's cells into its spec: the values that its requests are made of. Checks the raw cells first, then the
 * kind, then each value.
 */
export function parseRow(columns: Columns, cells: readonly string[], rules: RowRules): ParsedRow {
  const bad = findBadCells(columns, cells);
  if (bad.length > 0) return { spec: undefined, findings: bad, unused: [] };
  const decided = decideKind(columns, cells, rules.kind);
  if ('findings' in decided) return { spec: undefined, findings: decided.findings, unused: [] };
  const { kind } = decided;
  const cast = rules.cast?.valuesFor(columns, cells, kind);
  const { values, unused, isComplete, ...read } = readCells(kind, columns, cells, { ...rules, values: cast?.values });
  const findings = [...(cast?.findings ?? []), ...read.findings];
  if (rules.strict) findings.push(...unused.map((header) => unusedCell(kind, header)));
  const own = columns.api.length === 0 ? {} : readApiCells(kind, columns, cells, { rules, findings });
  const extra = cast === undefined ? own : { ...cast.extra, ...own };
  // Each value was parsed by the rule of its own column.
  const spec = { kind, ...values, extra } as RowSpec;
  const isValid = findings.length === 0 && isComplete;
  return { spec: isValid ? spec : undefined, draft: spec, findings, unused, speaker: cast?.name };
}

/**
 * Parses the cells of the columns that a kind uses, besides `api.FIELD`. `values`: what the cast gives for empty cells,
 * before the defaults; undefined if it gives nothing. `isComplete`: whether all required columns have a value.
 */
function readCells(
  kind: Kind,
  columns: Columns,
  cells: readonly string[],
  rules: RowRules & { readonly values: CastValues['values'] | undefined },
) {
  const standIns: Readonly<Partial<Record<SpecColumn, string | undefined>>> = { ...rules.defaults, ...rules.values };
  const values: Partial<Record<SpecColumn, CellValue>> = {};
  const findings: PlacedFinding[] = [];
  const unused: string[] = [];
  let isComplete = true;
  for (const { column, isRequired, isRead } of usesOf(kind)) {
    const at = columns.known.get(column);
    const cell = at === undefined ? '' : (cells[at] ?? '');
    const filled = cell !== '' && cell.trim() !== '';
    if (!isRead) {
      if (filled) unused.push(columns.headerOf(column));
      continue;
    }
    const value = filled ? cell : standIns[column];
    if (value === undefined) {
      if (!isRequired || (column === 'voice' && rules.values !== undefined)) continue;
      isComplete = false;
      if (columns.lacks(column))
        findings.push(...columns.once(column, () => columns.missing(column, whyNeeded(kind, column))));
      else findings.push(missing(kind, column, columns.headerOf(column), cell));
      continue;
    }
    const parsed = parseCell(kind, column, value, rules);
    if ('finding' in parsed) findings.push({ column: columns.headerOf(column), ...parsed.finding });
    else if (parsed.value !== undefined) values[column] = parsed.value;
  }
  return { values, findings, unused, isComplete };
}

/** How a kind of row uses a column. `isRead`: required or optional. */
interface ColumnUse {
  readonly column: SpecColumn;
  readonly isRequired: boolean;
  readonly isRead: boolean;
}

/** Returns how a kind uses each of our columns. */
const usesOf = memoizePerKind((kind): readonly ColumnUse[] => {
  const { required, optional } = columnsOfKind(kind);
  return specColumns().map((column) => {
    const isRequired = required.includes(column);
    return { column, isRequired, isRead: isRequired || optional.includes(column) };
  });
});

/** Parses the `api.FIELD` cells of a row. Adds problems to the findings. */
function readApiCells(
  kind: Kind,
  columns: Columns,
  cells: readonly string[],
  { rules, findings }: { readonly rules: RowRules; readonly findings: PlacedFinding[] },
): RowSpec['extra'] {
  const fields = columns.api.filter(({ at }) => (cells[at] ?? '') !== '');
  if (rules.anyApiField !== true) findings.push(...fields.flatMap(({ field }) => ownField(kind, field, columns) ?? []));
  return Object.fromEntries(
    fields.flatMap(({ field, at }) => {
      const cell = cells[at] ?? '';
      const tooDeep = findTooDeep(columns.headerOf(`api.${field}`), cell);
      if (tooDeep === undefined) return [[field, parseApiCell(cell)] as const];
      findings.push(tooDeep);
      return [];
    }),
  );
}

/** Finds input cells that are too long or cannot be sent as text, whatever column they are in. */
function findBadCells({ input }: Columns, cells: readonly string[]): readonly Finding[] {
  return input.flatMap(({ name, at }) => findBadCell(name, cells[at] ?? '') ?? []);
}

/** Returns the finding for a cell that is too long or cannot be sent as text. */
export function findBadCell(column: string, cell: string): Finding | undefined {
  // A UTF-16 unit is at most three bytes, so short cells need no counting.
  if (cell.length * 3 > MAX_CELL_BYTES && Buffer.byteLength(cell) > MAX_CELL_BYTES) {
    const expected = 'a cell of at most 1 MB';
    return { column, expected, got: `${Buffer.byteLength(cell)} bytes`, code: 'cell-too-long' };
  }
  if (!UNSENDABLE.test(cell)) return undefined;
  const expected = 'Unicode text without NUL and without half of a surrogate pair';
  return { column, expected, got: show(cell), code: cell.includes('\0') ? 'nul' : 'bad-text' };
}

/** Returns the finding for an `api.FIELD` cell with JSON that is nested too deep for parsers. */
export function findTooDeep(column: string, cell: string): Finding | undefined {
  // Fast path: hardly any cell is JSON.
  if (!/^\s*[[{]/.test(cell)) return undefined;
  const value = parseApiCell(cell);
  if (typeof value !== 'object' || value === null || !isTooDeep(inspectJson(cell))) return undefined;
  return { column, expected: TOO_DEEP, got: show(cell), code: 'too-deep' };
}

/** The parsed value of a cell. */
type CellValue = string | number | readonly LocalFile[];

/** Parses a cell by the type of its column. */
function parseCell(kind: Kind, column: SpecColumn, cell: string, rules: RowRules): Parsed<CellValue | undefined> {
  switch (cellOf(column)) {
    case 'text':
      return { value: cell };
    case 'name':
      if (column === 'voice' && requestedVoiceName(cell.trim()) === '') return NAMELESS;
      return parseWord(cell.trim(), wordsOf(kind, column));
    case 'number':
      return parseNumber(withPoint(cell, rules), boundsRule(kind, column));
    case 'seconds':
      return parseNumber(withPoint(cell, rules), SECONDS);
    case 'link':
      return parseMedia(cell.trim(), rules.localMedia);
    case 'files': {
      const paths = parsePaths(cell);
      return 'finding' in paths ? paths : { value: paths.value.map(unreadFile) };
    }
    case 'threshold':
      return parseThreshold(withPoint(cell, rules));
  }
}

/** Replaces the decimal separator by a point. */
function withPoint(cell: string, { decimal = '.' }: RowRules): string {
  return cell.trim().replace(decimal, '.');
}

/** Returns a recording that was not read yet; `check-samples.ts` fills in the rest. */
function unreadFile(path: string): LocalFile {
  return { path, bytes: 0, sha256: '', extension: '', seconds: 0 };
}

/** Returns the rule for a number column: its bounds, if it has any. */
function boundsRule(kind: Kind, column: SpecColumn): NumberRule {
  const bounds = boundsOf(kind, column);
  if (bounds === undefined)
    return {
      expected: 'a number, such as 12 or -23.5 (a whole one has at most 15 digits)',
      holds: () => true,
      read: parseSignedNumber,
    };
  const { least, most } = bounds;
  return { expected: `a number from ${least} to ${most}`, holds: (value) => value >= least && value <= most };
}

/** Explains why rows need a column, and what can replace it. */
function whyNeeded(kind: Kind, column: SpecColumn): string {
  const instead = column === 'voice' ? ' (or give --voice for all rows, or --cast for names in a column)' : '';
  return `because ${kind} rows need ${column}${instead}`;
}

/** Returns the finding for a required cell that is empty. */
function missing(kind: Kind, column: SpecColumn, header: string, cell: string): Finding {
  const got = cell === '' ? 'nothing: the cell is empty, or the column is missing' : `only white space: ${show(cell)}`;
  return {
    column: header,
    expected: `a value, ${whyNeeded(kind, column)}`,
    got,
    code: 'missing-cell',
  };
}

/** Returns the finding for an `api.` cell that would override a field that voxbatch sets itself. */
function ownField(kind: Kind, field: string, columns: Columns): Finding | undefined {
  const column = ownColumnOf(kind, field);
  if (column === undefined) return undefined;
  const { required, optional } = columnsOfKind(kind);
  const isReadable = [...required, ...optional].includes(column);
  const from = isReadable ? ` from the column ${columns.headerOf(column)}` : '';
  const expected = `an empty cell: voxbatch fills this field of ${kind} requests itself${from}, and checks and prices the row by that`;
  return { column: columns.headerOf(`api.${field}`), expected, got: 'a filled cell', code: 'own-field' };
}

/** Returns the finding for a filled cell that the row's kind does not use. */
function unusedCell(kind: Kind, header: string): Finding {
  const { required, optional } = columnsOfKind(kind);
  const expected = `an empty cell: ${kind} rows use only ${[...required, ...optional].join(', ')}`;
  return { column: header, expected, got: 'a filled cell', code: 'unread-column' };
}

/** A value, or a finding to which the caller adds the column. */
export type Parsed<T> = { readonly value: T } | { readonly finding: Omit<Finding, 'column'> };

/** The constraints on a number. */
export interface NumberRule {
  readonly expected: string;
  readonly holds: (value: number) => boolean;
  /** How a cell is read. Default: without sign and exponent. */
  readonly read?: (cell: string) => number;
}

/** Parses a decimal number (with a point) that satisfies the rule. */
function parseNumber(cell: string, rule: NumberRule): Parsed<number> {
  const value = (rule.read ?? parseUnsignedNumber)(cell);
  if (Number.isFinite(value) && rule.holds(value)) return { value };
  return { finding: { expected: rule.expected, got: show(cell), code: 'bad-number' } };
}

/** Parses a `verify` cell: `true`, `false` (undefined), or the allowed share of wrong words, 0 to 1. */
export function parseThreshold(cell: string): Parsed<number | undefined> {
  const threshold = parseVerifyThreshold(cell);
  if (threshold === undefined) return { finding: { expected: THRESHOLD_FORM, got: show(cell), code: 'bad-number' } };
  return { value: threshold === 'off' ? undefined : threshold };
}

/** Accepts one of `words`; any name if undefined, for the API to interpret. */
function parseWord(cell: string, words: readonly string[] | undefined): Parsed<string> {
  if (words === undefined || words.includes(cell)) return { value: cell };
  return { finding: { expected: `one of ${words.join(', ')}`, got: show(cell), code: 'unknown-word' } };
}

/** Separator of paths in a cell: rare in file names, and needs no quotes in CSV. */
const BETWEEN_PATHS = '|';

/** Parses paths of local files, separated by `|`, or in a JSON array of strings, which can hold any file name. */
function parsePaths(cell: string): Parsed<readonly string[]> {
  const text = cell.trim();
  const paths = text.startsWith('[') ? listOf(text) : text.split(BETWEEN_PATHS).map((path) => path.trim());
  if (paths !== undefined && paths.length > 0 && paths.every((path) => path !== '')) {
    const scheme = paths.map((path) => /^([a-z][a-z\d+.-]+):\/\//i.exec(path)?.[1]).find((one) => one !== undefined);
    if (scheme === undefined) return { value: paths };
  }
  const expected = `paths of files on this machine, separated by ${BETWEEN_PATHS}, or a JSON array of them`;
  return { finding: { expected, got: show(cell), code: 'bad-path' } };
}

/** Parses a JSON array of strings; undefined for other JSON. A text that is no JSON is a path. */
function listOf(text: string): readonly string[] | undefined {
  try {
    const list = JSON.parse(text) as unknown;
    return Array.isArray(list) && list.every((one) => typeof one === 'string') ? list : undefined;
  } catch {
    // A file name may begin like an array.
    return [text];
  }
}

/**
 * Parses an absolute http(s) URL, which the service fetches, or the path of a local file, if links to it can be made.
 */
function parseMedia(cell: string, local: LocalMediaRules = NO_LINKS): Parsed<string> {
  if (/^https?:\/\/[^/\s]/i.test(cell) && !/[\s\p{Cc}]/u.test(cell) && URL.canParse(cell)) return { value: cell };
  const scheme = /^([a-z][a-z\d+.-]+):/i.exec(cell)?.[1]?.toLowerCase();
  if (scheme === undefined) {
    if (local.type === 'links') return { value: cellOfPath(cell) };
    return { finding: { expected: local.expected, got: show(cell), code: 'local-file' } };
  }
  const path = scheme === 'file' ? ' (for a file of this machine, write its path)' : '';
  const expected = `an absolute http:// or https:// URL with a host${path}`;
  return { finding: { expected, got: show(cell), code: 'bad-url' } };
}
