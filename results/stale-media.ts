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
import type { RealFolders } from './real-folders.ts';
import { filesOf } from './result-line.ts';
import type { RowFile, ScannedRow } from './result-line.ts';
import { SpilledList } from './spilled-list.ts';

/**
 * Finds files of earlier takes that may still be among the results: under the row's name although the row is open or
 * failed again, under another extension, or under the name from before an edit; also an unfit result that a person
 * accepted, the result of a job that a person took back, and one that a person gave up for that of an earlier take. They are collected row by row, on disk, and removed once
 * the rows' current names are known.
 */
export class StaleMedia {
  readonly #batch: BatchRecord;
  readonly #ledger: Pick<Ledger, 'takesOf' | 'releasedFiles'>;
  readonly #stale: SpilledList<RowFile>;
  /** Names whose correct files could not be placed. */
  readonly #lost = new SeenTable();
  #released: ReadonlyMap<number, readonly (readonly ResultFile[])[]> | undefined;

  /** `out`: the folder of the results. */
  constructor(batch: BatchRecord, ledger: Pick<Ledger, 'takesOf' | 'releasedFiles'>, out: string) {
    this.#batch = batch;
    this.#ledger = ledger;
    this.#stale = new SpilledList(out);
  }

  /** Adds files from earlier takes of a row, and unfit ones. */
  async add({ row, charges }: ScannedRow): Promise<void> {
    for (const { file } of charges) {
      if (file?.unfit !== undefined) await this.#push({ ...row, outcome: 'unfit', file, extraFiles: [] });
    }
    this.#released ??= await this.#readReleased();
    const takes = row.take === 1 ? [] : await this.#ledger.takesOf(this.#batch.name, row.row);
    // What a row had stays until its new take has ended, with another result or with this one again; where its end is in doubt, it is all there is.
    const isOpen = row.outcome === null || row.outcome === 'unknown' || row.outcome === 'overdue';
    const isKept = isOpen && takes.at(-1)?.before.spec === undefined;
    const kept = isKept ? [row.keptFile?.key, ...takes.map(({ before }) => before.file?.key)] : [];
    for (const [file, ...extraFiles] of this.#released.get(row.row) ?? []) {
      if (file === undefined || kept.includes(file.key)) continue;
      await this.#push({ ...row, outcome: 'succeeded', file, extraFiles });
    }
    if (isKept) return;
    let { spec, input } = row;
    // From last to first: a record has the earlier request only if its take changed it.
    for (const { before } of takes.toReversed()) {
      spec = before.spec ?? spec;
      input = before.input ?? input;
      await this.#push({ ...row, ...before, spec, input });
    }
  }

  /** Records that a name's correct file could not be placed, so that whatever is there is stale. */
  lose({ name }: RowFile): void {
    this.#lost.set(collisionKey(name), 1);
  }

  /**
   * Removes them from the folder: only if no row has that name now, and only the file itself: the stored one, or an
   * exact copy. Files of the user stay. `isTaken`: whether some row has the name.
   */
  async remove(store: StoredFiles, folders: RealFolders, isTaken: (name: string) => boolean): Promise<void> {
    for await (const { name, file } of this.#stale.items()) {
      if (isTaken(name) && this.#lost.get(collisionKey(name)) === undefined) continue;
      const path = join(folders.out, name);
      if (!(await folders.leadTo(name))) continue;
      if (await isThisFile(path, file, store.pathOf(file.key))) await rm(path, { force: true });
    }
  }

  /** Removes the list. */
  async forget(): Promise<void> {
    await this.#stale.remove();
  }

  async #push(row: RowRecord): Promise<void> {
    for (const file of this.#filesOf(row)) await this.#stale.add(file);
  }

  /** Few: each is a decision of a person. */
  async #readReleased(): Promise<ReadonlyMap<number, readonly (readonly ResultFile[])[]>> {
    const released = new Map<number, (readonly ResultFile[])[]>();
    for (const { row, files } of await this.#ledger.releasedFiles(this.#batch.name))
      released.set(row, [...(released.get(row) ?? []), files]);
    return released;
  }

  #filesOf(row: RowRecord): readonly RowFile[] {
    try {
      return filesOf(row, this.#batch);
    } catch (error) {
      // Nothing was ever placed under such a name.
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
