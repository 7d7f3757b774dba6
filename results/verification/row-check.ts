import type { FileLoss } from '../../contract/file-loss.ts';
import { makesFile } from '../../contract/row-kinds.ts';
import { collisionKey } from '../../inputs/output-name.ts';
import { SeenTable } from '../../inputs/seen-table.ts';
import type { BatchRecord } from '../../ledger/batches/batch-records.ts';
import type { Placed } from '../place-file.ts';
import type { Findings } from './mismatch.ts';
import { UnfitName } from '../media-names.ts';
import { filesOf, hasFile } from '../result-line.ts';
import type { RowFile, ScannedRow } from '../result-line.ts';

/** A recorded result whose content the store no longer has. */
export interface DamagedResult {
  readonly row: number;
  readonly id: string;
  /** How it is lost; `removed`: on purpose, by `clean`. */
  readonly is: FileLoss | 'removed';
}

/** Max damaged results kept. */
const MAX_KEPT = 1_000;

/**
 * Checks rows as their files are written: no gap in the numbers, an outcome, a result if the outcome requires one, and
 * a unique name for it. Call {@link filesOf} for each row, then {@link placed} for each of its files.
 */
export class RowCheck {
  readonly #batch: BatchRecord;
  readonly #complete: boolean;
  readonly #findings: Findings;
  readonly #taken = new SeenTable();
  readonly #damaged = new Map<number, DamagedResult>();
  #last = 0;

  /** `complete`: the batch should be over, so a row without an outcome is a finding. */
  constructor(batch: BatchRecord, complete: boolean, findings: Findings) {
    this.#batch = batch;
    this.#complete = complete;
    this.#findings = findings;
  }

  /** Returns the next row's files, to be placed; none if a name is invalid or taken. Records findings about the row. */
  filesOf({ row }: ScannedRow): readonly RowFile[] {
    const where = `row ${row.row}`;
    if (row.row !== this.#last + 1) this.#findings.add(where, `row ${this.#last + 1} next in the ledger`, where);
    this.#last = row.row;
    if (this.#complete && row.outcome === null) this.#findings.add(where, 'an outcome', `none; it is ${row.state}`);
    if (hasFile(row.outcome) && makesFile(row.kind) && row.file === null) {
      this.#findings.add(where, 'a result file', 'none in the ledger');
    }
    if (hasFile(row.outcome) && !makesFile(row.kind) && row.text === null) {
      this.#findings.add(where, 'an id as its result', 'none in the ledger');
    }
    try {
      const files = filesOf(row, this.#batch);
      return files.every((file) => this.#isFree(file, row.row)) ? files : [];
    } catch (error) {
      if (!(error instanceof UnfitName)) throw error;
      this.#findings.add(where, 'a name for its file', error.message);
      return [];
    }
  }

  /** Rows whose stored files are lost, in order of rows. */
  get damaged(): readonly DamagedResult[] {
    return [...this.#damaged.values()];
  }

  /** Records whether a row's file could be placed. */
  placed({ row }: ScannedRow, { name, file }: RowFile, became: Placed): void {
    const where = `row ${row.row}, ${name}`;
    if (became === 'kept' || became === 'placed') return;
    const isRemoved = became === 'missing' && row.file?.removedAt !== undefined;
    if (this.#damaged.size < MAX_KEPT) {
      this.#damaged.set(row.row, { row: row.row, id: row.id, is: isRemoved ? 'removed' : became });
    }
    // Not a finding: the user had it removed.
    if (isRemoved) return;
    if (became === 'missing') this.#findings.add(where, `the stored file ${file.key}`, 'no such file in the store');
    else if (became === 'altered')
      this.#findings.add(where, `${file.bytes} bytes with sha256 ${file.sha256}`, `another content of ${file.key}`);
    else this.#findings.add(where, `the stored file ${file.key}`, `it is ${became} in the store`);
  }

  /** Returns true if a row's file has this name. */
  isTaken(name: string): boolean {
    return this.#taken.get(collisionKey(name)) !== undefined;
  }

  #isFree({ name }: RowFile, row: number): boolean {
    const key = collisionKey(name);
    const owner = this.#taken.lineBefore(key, row);
    if (owner === undefined) return true;
    this.#findings.add(`row ${row}, ${name}`, 'a name of its own', `the name of the file of row ${owner}`);
    return false;
  }
}
