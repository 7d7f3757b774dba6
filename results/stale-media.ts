import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { sha256Of } from '../inputs/file-digest.ts';
import { collisionKey } from '../inputs/output-name.ts';
import type { Ledger } from '../ledger/ledger.ts';
import { SeenTable } from '../inputs/seen-table.ts';
import type { BatchRecord, ResultFile, RowRecord } from '../ledger/record-types.ts';
import { lstatsOf, statsOf } from './media.ts';
import type { StoredFiles } from './media.ts';
import { UnfitName } from './names.ts';
import { filesOf } from './result-line.ts';
import type { RowFile, ScannedRow } from './result-line.ts';
import { SpilledList } from './spilled-list.ts';

/**
 * Files of earlier takes that may still lie among the results: under the row's name although the row is open or failed again, under
 * another extension, or under the name that it had before it was edited. Also a result that was unfit until a person accepted it, and one whose job a
 * person took back. They are gathered row by row, on disk, and removed when it is known which names the rows have now.
 */
export class StaleMedia {
  readonly #batch: BatchRecord;
  readonly #ledger: Pick<Ledger, 'takesOf' | 'releasedFiles'>;
  readonly #stale: SpilledList<RowFile>;
  /** Names whose right files could not be placed. */
  readonly #lost = new SeenTable();
  #released: ReadonlyMap<number, readonly ResultFile[]> | undefined;

  /** `out`: the folder of the results. */
  constructor(batch: BatchRecord, ledger: Pick<Ledger, 'takesOf' | 'releasedFiles'>, out: string) {
    this.#batch = batch;
    this.#ledger = ledger;
    this.#stale = new SpilledList(out);
  }

  /** Adds what earlier takes of a row made, and what was unfit. */
  async add({ row, charges }: ScannedRow): Promise<void> {
    for (const { file } of charges) {
      if (file?.unfit !== undefined) await this.#push({ ...row, outcome: 'unfit', file, extraFiles: [] });
    }
    this.#released ??= await this.#readReleased();
    const [file, ...extraFiles] = this.#released.get(row.row) ?? [];
    if (file !== undefined) await this.#push({ ...row, outcome: 'succeeded', file, extraFiles });
    if (row.take === 1) return;
    let { spec, input } = row;
    const takes = await this.#ledger.takesOf(this.#batch.name, row.row);
    // From the last to the first: a record holds what the row asked for before only where its take changed it.
    for (const { before } of takes.toReversed()) {
      spec = before.spec ?? spec;
      input = before.input ?? input;
      await this.#push({ ...row, ...before, spec, input });
    }
  }

  /** Notes that the right file of a name could not be placed, so that whatever is there is not it. */
  lose({ name }: RowFile): void {
    this.#lost.set(collisionKey(name), 1);
  }

  /**
   * Removes them from the folder: only where no row has that name now, and only the very file, which is the stored one or has all of
   * its bytes. Whatever a person put there stays. `isTaken`: whether some row has the name.
   */
  async remove(store: StoredFiles, out: string, isTaken: (name: string) => boolean): Promise<void> {
    for await (const { name, file } of this.#stale.items()) {
      if (isTaken(name) && this.#lost.get(collisionKey(name)) === undefined) continue;
      const path = join(out, name);
      if (await isThisFile(path, file, store.pathOf(file.key))) await rm(path, { force: true });
    }
  }

  /** Leaves nothing behind of what was gathered. */
  async forget(): Promise<void> {
    await this.#stale.remove();
  }

  async #push(row: RowRecord): Promise<void> {
    for (const file of this.#filesOf(row)) await this.#stale.add(file);
  }

  /** Few: each is a decision of a person. */
  async #readReleased(): Promise<ReadonlyMap<number, readonly ResultFile[]>> {
    const released = await this.#ledger.releasedFiles(this.#batch.name);
    return new Map(released.map(({ row, files }) => [row, files]));
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
