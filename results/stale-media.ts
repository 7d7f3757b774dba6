import { rm, open, type FileHandle } from 'node:fs/promises';
import { join } from 'node:path';
import { collisionKey } from '../inputs/output-name.ts';
import type { Ledger } from '../ledger/ledger.ts';
import { SeenTable } from '../inputs/seen-table.ts';
import type { BatchRecord } from '../ledger/batches/batch-records.ts';
import type { ResultFile } from '../ledger/records.ts';
import type { RowRecord } from '../ledger/rows/row-records.ts';
import { hasContent } from './files.ts';
import type { RealFolders } from './real-folders.ts';
import { namedFilesOf, type RowFile, type ScannedRow } from './result-line.ts';
import { partPath } from './atomic-file.ts';

/**
 * Finds files of earlier takes that may still be among the results: under the row's name although the row is open or
 * failed again, under another extension, or under the name from before an edit; also an unfit result that the user
 * later accepted, the result of a job that the user took back, and one that the user dropped in favour of an earlier
 * take's. They are collected row by row, on disk, and removed once all current names are known.
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
    // A row keeps its earlier file until its new take has ended, because the take may end with the same result; if the
    // end is in doubt, that file is all there is.
    const isOpen = row.outcome === null || row.outcome === 'unknown' || row.outcome === 'overdue';
    const isKept = isOpen && takes.at(-1)?.before.spec === undefined;
    const kept = isKept ? [row.keptFile?.key, ...takes.map(({ before }) => before.file?.key)] : [];
    for (const [file, ...extraFiles] of this.#released.get(row.row) ?? []) {
      if (file === undefined || kept.includes(file.key)) continue;
      await this.#push({ ...row, outcome: 'succeeded', file, extraFiles });
    }
    if (isKept) return;
    let { spec, input } = row;
    // Latest first: a record holds the earlier request only if its take changed it.
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
   * Removes a stale file only if no row now has a correct file under its name (`isTaken`, except names that were lost),
   * and only if its content is unchanged. The user's own files stay.
   */
  async remove(folders: RealFolders, isTaken: (name: string) => boolean): Promise<void> {
    for await (const { name, file } of this.#stale.items()) {
      if (isTaken(name) && this.#lost.get(collisionKey(name)) === undefined) continue;
      const path = join(folders.out, name);
      if (!(await folders.leadTo(name))) continue;
      if (await hasContent(path, file.sha256)) await rm(path, { force: true });
    }
  }

  /** Removes the list. */
  async forget(): Promise<void> {
    await this.#stale.remove();
  }

  async #push(row: RowRecord): Promise<void> {
    for (const file of namedFilesOf(row, this.#batch)) await this.#stale.add(file);
  }

  /** Reads all at once: there are few, because each is a user's decision. */
  async #readReleased(): Promise<ReadonlyMap<number, readonly (readonly ResultFile[])[]>> {
    const released = new Map<number, (readonly ResultFile[])[]>();
    for (const { row, files } of await this.#ledger.releasedFiles(this.#batch.name))
      released.set(row, [...(released.get(row) ?? []), files]);
    return released;
  }
}

/** Characters to gather before a write. */
const BUFFERED = 256 * 1024;

/**
 * A list that may be as long as the batch and is read once, from the start. It is kept in a part file, so that it takes
 * no memory. The first item creates the file; if the process is killed, the next sweep removes it.
 */
export class SpilledList<T> {
  readonly #path: string;
  #file: FileHandle | undefined;
  #buffered = '';

  /** `folder` must exist when the first item arrives. */
  constructor(folder: string) {
    this.#path = partPath(join(folder, 'list'));
  }

  /** Adds an item, which must survive JSON. */
  async add(item: T): Promise<void> {
    this.#buffered += `${JSON.stringify(item)}\n`;
    if (this.#buffered.length >= BUFFERED) await this.#flush();
  }

  /** All items, in insertion order. */
  async *items(): AsyncGenerator<T, void, undefined> {
    if (this.#file === undefined) {
      for (const line of this.#buffered.split('\n')) if (line !== '') yield JSON.parse(line) as T;
      return;
    }
    await this.#flush();
    const file = await open(this.#path);
    for await (const line of file.readLines()) yield JSON.parse(line) as T;
  }

  /** Removes the file; may be called at any time. */
  async remove(): Promise<void> {
    await this.#file?.close();
    this.#file = undefined;
    await rm(this.#path, { force: true });
  }

  async #flush(): Promise<void> {
    this.#file ??= await open(this.#path, 'wx');
    await this.#file.writeFile(this.#buffered);
    this.#buffered = '';
  }
}
