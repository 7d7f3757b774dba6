import { boundsOf, ROW_KINDS } from '../contract/row-kinds.ts';
import type { Bounds, Kind, RowSpec, SpecColumn } from '../contract/row-kinds.ts';
import { valueOfApiCell } from './api-cell.ts';
import { SPEC_COLUMNS } from './columns.ts';
import type { Columns } from './columns.ts';
import { inferKind, noKind, parseKind, TELLING } from './infer-kind.ts';
import { findBadText, parseMediaUrl, parseNumber } from './parse-cells.ts';
import type { NumberRule, Parsed } from './parse-cells.ts';
import { show } from './problems.ts';
import type { Finding } from './problems.ts';
import { MAX_CELL_BYTES } from './raw-record.ts';
import { isDefaulted, type RowDefaults } from './row-defaults.ts';

export interface RowRules {
  /** `--kind`: the kind of every row whose `kind` cell is empty. */
  readonly kind?: Kind | undefined;
  readonly defaults: RowDefaults;
  readonly strict: boolean;
  /** Whether the columns of the file tell the kind (CSV) or only the cells of the row (JSONL). */
  readonly inferFromColumns: boolean;
}

export interface ParsedRow {
  /** Undefined if there are findings. */
  readonly spec: RowSpec | undefined;
  readonly findings: readonly Finding[];
  /** Known columns that are filled although the row's kind does not read them, by their name in the file. */
  readonly unread: readonly string[];
}

const DURATION: NumberRule = { expected: 'seconds as a number over 0', holds: (value: number) => value > 0 };

/** Checks one record and makes the row's spec. `cellAt` gives a cell by place, the formula guard taken off. */
export function parseRow(columns: Columns, cellAt: (at: number) => string, rules: RowRules): ParsedRow {
  const findings: Finding[] = [];
  for (const { name, at } of columns.input) {
    const cell = cellAt(at);
    const bad = tooLong(cell, name) ?? findBadText(cell, name);
    if (bad !== undefined) findings.push(bad);
  }
  if (findings.length > 0) return { spec: undefined, findings, unread: [] };

  const raw = (column: string): string => {
    const at = columns.known.get(column);
    return at === undefined ? '' : cellAt(at);
  };
  const decided = decideKind(columns, raw, rules);
  if ('finding' in decided) return { spec: undefined, findings: [decided.finding], unread: [] };
  const { kind } = decided;
  const { required, optional } = ROW_KINDS[kind];

  const values: Partial<Record<SpecColumn, string | number>> = {};
  const unread: string[] = [];
  for (const column of SPEC_COLUMNS) {
    const header = columns.headerOf(column);
    const cell = raw(column);
    const filled = cell.trim() !== '';
    if (!required.includes(column) && !optional.includes(column)) {
      if (filled) unread.push(header);
      continue;
    }
    const value = filled ? cell : isDefaulted(column) ? rules.defaults[column] : undefined;
    if (value === undefined) {
      if (required.includes(column)) findings.push(missing(kind, column, header, cell));
      continue;
    }
    const parsed = parseCell(kind, column, value, header);
    if ('finding' in parsed) findings.push(parsed.finding);
    else values[column] = parsed.value;
  }
  if (rules.strict) findings.push(...unread.map((header) => unreadCell(kind, header)));
  const extra = Object.fromEntries(
    columns.api.flatMap(({ field, at }) => (cellAt(at) === '' ? [] : [[field, valueOfApiCell(cellAt(at))] as const])),
  );
  // Each value was parsed by the rule of its own column just above.
  const spec = { kind, ...values, extra } as RowSpec;
  return { spec: findings.length === 0 ? spec : undefined, findings, unread };
}

function decideKind(
  columns: Columns,
  raw: (column: string) => string,
  rules: RowRules,
): { kind: Kind } | { finding: Finding } {
  const given = raw('kind').trim();
  if (given !== '') return parseKind(given, columns.headerOf('kind'));
  if (rules.kind !== undefined) return { kind: rules.kind };
  const cells = new Set(TELLING.filter((column) => raw(column).trim() !== ''));
  // Columns go first: a blank cell in a file of dubs is a mistake, not a cheaper kind of row.
  const byColumns = rules.inferFromColumns
    ? inferKind(new Set(TELLING.filter((column) => columns.known.has(column))))
    : undefined;
  const kind = byColumns ?? inferKind(cells);
  return kind === undefined ? { finding: noKind(cells) } : { kind };
}

function parseCell(kind: Kind, column: SpecColumn, cell: string, header: string): Parsed<string | number> {
  switch (column) {
    case 'text':
      return { value: cell };
    case 'speed':
      return parseNumber(cell.trim(), header, within(boundsOf(kind, column)));
    case 'duration':
      return parseNumber(cell.trim(), header, DURATION);
    case 'audio':
    case 'video':
      return parseMediaUrl(cell.trim(), header);
    default:
      return { value: cell.trim() };
  }
}

function within(bounds: Bounds | undefined): NumberRule {
  if (bounds === undefined) return { expected: 'a number', holds: () => true };
  const { least, most } = bounds;
  return { expected: `a number from ${least} to ${most}`, holds: (value) => value >= least && value <= most };
}

function tooLong(cell: string, column: string): Finding | undefined {
  // A UTF-16 unit is at most three bytes, so short cells need no counting.
  if (cell.length * 3 <= MAX_CELL_BYTES || Buffer.byteLength(cell) <= MAX_CELL_BYTES) return undefined;
  const expected = 'a cell of at most 1 MB';
  return { column, expected, came: `${Buffer.byteLength(cell)} bytes`, code: 'cell-too-long' };
}

function missing(kind: Kind, column: SpecColumn, header: string, cell: string): Finding {
  const flag = column === 'voice' ? ', or --voice for all rows' : '';
  const came = cell === '' ? 'an empty cell, or no such column' : `only white space: ${show(cell)}`;
  return { column: header, expected: `a ${column} (${kind} rows need one)${flag}`, came, code: 'missing-cell' };
}

function unreadCell(kind: Kind, header: string): Finding {
  const { required, optional } = ROW_KINDS[kind];
  const expected = `an empty cell: ${kind} rows use only ${[...required, ...optional].join(', ')}`;
  return { column: header, expected, came: 'a filled cell', code: 'unread-column' };
}
