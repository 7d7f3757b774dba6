import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { collisionKey } from '../inputs/output-name.ts';
import type { Ledger } from '../ledger/ledger.ts';
import type { BatchRecord, RowRecord } from '../ledger/record-types.ts';
import { lstatsOf, sha256Of, statsOf } from './media.ts';
import type { StoredFiles } from './media.ts';
import { UnfitName } from './names.ts';
import { filesOf } from './result-line.ts';
import type { RowFile, ScannedRow } from './result-line.ts';

/**
 * Files of earlier takes that may still lie among the results: under the row's name although the row is open or failed again, under
 * another extension, or under the name that it had before it was edited. Also a result that was unfit until a person accepted it. They are gathered row by row and removed when it is known
 * which names the rows have now.
 */
export class StaleMedia {
  readonly #batch: BatchRecord;
  readonly #ledger: Pick<Ledger, 'takesOf'>;
  readonly #stale: RowFile[] = [];
  readonly #current = new Set<string>();

  constructor(batch: BatchRecord, ledger: Pick<Ledger, 'takesOf'>) {
    this.#batch = batch;
    this.#ledger = ledger;
  }

  /** Adds what earlier takes of a row made, and what was unfit. */
  async add({ row, charges }: ScannedRow): Promise<void> {
    for (const { file } of charges) {
      if (file?.unfit !== undefined)
        this.#stale.push(...this.#filesOf({ ...row, outcome: 'unfit', file, extraFiles: [] }));
    }
    if (row.take === 1) return;
    let { spec, input } = row;
    const takes = await this.#ledger.takesOf(this.#batch.name, row.row);
    // From the last to the first: a record holds what the row asked for before only where its take changed it.
    for (const { before } of takes.toReversed()) {
      spec = before.spec ?? spec;
      input = before.input ?? input;
      this.#stale.push(...this.#filesOf({ ...row, ...before, spec, input }));
    }
  }

  /** Notes that the file under a name is the right one. */
  keep({ name }: RowFile): void {
    this.#current.add(collisionKey(name));
  }

  /**
   * Removes them from the folder: only where no row has that name now, and only the very file, which is the stored one or has all of
   * its bytes. Whatever a person put there stays.
   */
  async remove(store: StoredFiles, out: string): Promise<void> {
    for (const { name, file } of this.#stale) {
      if (this.#current.has(collisionKey(name))) continue;
      const path = join(out, name);
      if (await isThisFile(path, file, store.pathOf(file.key))) await rm(path, { force: true });
    }
  }

  #filesOf(row: RowRecord): readonly RowFile[] {
    try {
      return filesOf(row, this.#batch);
    } catch (error) {
      // Under such a name nothing was ever placed.
      if (error instanceof UnfitName) return [];
      throw error;
    }
  }
}

async function isThisFile(path: string, file: RowFile['file'], source: string | undefined): Promise<boolean> {
  const there = await lstatsOf(path);
  if (there?.isFile() !== true || there.size !== BigInt(file.bytes)) return false;
  const stored = source === undefined ? undefined : await statsOf(source);
  if (stored !== undefined && there.dev === stored.dev && there.ino === stored.ino) return true;
  return (await sha256Of(path)) === file.sha256;
}
