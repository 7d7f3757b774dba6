import { isDeepStrictEqual } from 'node:util';
import { JOINING_COLUMNS, type Joining } from '../contract/finishing.ts';
import type { Kind } from '../contract/row-kinds.ts';
import type { ColumnOptions } from './column-names.ts';
import { Columns } from './columns.ts';
import { kindOfColumns } from './row-kind.ts';
import type { JoinCheck } from './sound/join-check.ts';
import { findBadTemplate, templateFields } from './output-name.ts';
import { show, type Finding, type ManifestProblem, type ManifestWarning } from '../contract/manifest-problems.ts';
import { MAX_COLUMNS } from './check-bytes.ts';

/** The options that columns are checked against; `manifest-options.ts` explains them. */
interface HeaderOptions extends ColumnOptions {
  readonly kind?: Kind | undefined;
  readonly nameTemplate: string;
  readonly join?: Joining | undefined;
}

/**
 * Checks a manifest's columns as they are read, and each further file's header against the first. Gathers the warnings
 * about columns.
 */
export class HeaderCheck {
  readonly columns: Columns;
  /** By column; those about empty rows have the key ''. */
  readonly warnings = new Map<string, ManifestWarning>();
  /** `--kind`, or the kind that the columns of a CSV file imply. */
  kind: Kind | undefined;
  /** Whether the columns are so wrong that every row would repeat the same problem. */
  isUseless = false;
  /** Whether there are too many columns: nothing after the header is read then. */
  hasTooManyColumns = false;
  /** Whether the current file's header differs from that of the first file. */
  isOther = false;
  /** Whether the file name template fits the columns. */
  isTemplateGood = true;

  readonly #options: HeaderOptions;
  readonly #hasHeader: boolean;
  readonly #join: JoinCheck | undefined;
  /** Names of the columns of the first file, trimmed. */
  #first: readonly string[] | undefined;

  /** `hasHeader`: false for JSONL, whose columns are the keys of its lines. `join`: undefined without `--join`. */
  constructor(options: HeaderOptions, hasHeader: boolean, join?: JoinCheck) {
    this.#options = options;
    this.#hasHeader = hasHeader;
    this.kind = options.kind;
    this.#join = join;
    const used = [...joiningColumns(options.join), ...templateFields(options.nameTemplate)];
    this.columns = new Columns(options, hasHeader, used);
  }

  /** Adds the header of a CSV file, or the new keys of a JSON line. */
  add(line: number, names: readonly string[]): readonly ManifestProblem[] {
    if (this.#hasHeader && this.#first !== undefined) return this.#compare(line, names);
    if (this.#first === undefined) this.columns.line = line;
    this.#first = trimmed(names);
    const count = this.columns.count + names.length;
    if (count > MAX_COLUMNS) {
      this.hasTooManyColumns = true;
      const expected = `at most ${MAX_COLUMNS} columns; the rest was not checked`;
      return [{ line, id: '', column: '', expected, got: `${count} columns`, code: 'too-many-columns' }];
    }
    const findings: Finding[] = [];
    for (const note of this.columns.add(names)) {
      if ('finding' in note) findings.push(note.finding);
      else this.warnings.set(note.column, { column: note.column, message: note.warning, line, rows: null });
    }
    if (this.#hasHeader) {
      findings.push(...this.checkTogether());
      this.kind ??= kindOfColumns(this.columns);
    }
    return findings.map((finding) => ({ line, id: '', ...finding }));
  }

  /** Compares the header of a further file with the first: all files of a manifest form one table. */
  #compare(line: number, names: readonly string[]): readonly ManifestProblem[] {
    this.isOther = !isDeepStrictEqual(trimmed(names), this.#first);
    if (!this.isOther) return [];
    const expected = 'the same header as in the first file; the rest of this file was not checked';
    return [{ line, id: '', column: '', expected, got: show(names.join(', ')), code: 'other-header' }];
  }

  /** Checks all columns together; for JSONL, only at the end of the file. */
  checkTogether(): Finding[] {
    const findings = this.columns.findWrong();
    this.isUseless = findings.length > 0;
    const badTemplate = findBadTemplate(this.#options.nameTemplate, (name) => this.columns.byName.has(name));
    this.isTemplateGood = badTemplate === undefined;
    const badJoin = this.#join?.findMissing(this.columns);
    return [...findings, ...[badTemplate, badJoin].filter((one) => one !== undefined)];
  }

  /** Counts a record without any filled cell, such as those below the rows of a spreadsheet. */
  noteEmpty(line: number): void {
    const known = this.warnings.get('');
    const message = 'empty rows, left out';
    this.warnings.set('', { column: '', message, line: known?.line ?? line, rows: (known?.rows ?? 0) + 1 });
  }

  /** Warns of a column that is filled in a row whose kind does not use it. */
  warnOfUnused(column: string, line: number): void {
    const message = 'filled in rows whose kind does not use it; copied to the results';
    const known = this.warnings.get(column);
    this.warnings.set(column, { column, message, line: known?.line ?? line, rows: (known?.rows ?? 0) + 1 });
  }
}

function trimmed(names: readonly string[]): readonly string[] {
  return names.map((name) => name.trim());
}

/** Returns the columns that have a meaning only with `--join`. */
function joiningColumns(joining: Joining | undefined): readonly string[] {
  return joining === undefined ? [] : [joining.column, ...JOINING_COLUMNS];
}
