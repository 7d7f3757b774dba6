import { open, rm, type FileHandle } from 'node:fs/promises';
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
 * Removes files from the out folder that are no longer results of their rows:
 *
 * - files of an earlier take (a paid run of the row): under the row's name although the row is open or failed again,
 *   under another extension, or under the name from before an edit;
 * - an unfit result that the user accepted since, which now has another folder;
 * - released files: the result of a job that the user took back, and one that the user dropped for an earlier take's
 *   result.
 *
 * Call `add` for each row; the files are collected in a list on disk. Call `remove` once all current names are known.
 */
export class StaleMedia {
  readonly #batch: BatchRecord;
  readonly #ledger: Pick<Ledger, 'takesOf' | 'releasedFiles'>;
  readonly #stale: SpilledList<RowFile>;
  /** Names whose current files could not be placed. */
  readonly #lost = new SeenTable();
  /** Files that the user released, by row; read once. */
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

  /** Records that the current file of a name could not be placed, so that whatever is there is stale. */
  markLost({ name }: RowFile): void {
    this.#lost.set(collisionKey(name), 1);
  }

  /**
   * Removes the collected files, except files with changed content, which are the user's own, and files under a name
   * that a row has now. `isTaken`: returns whether a row has a name; names marked as lost do not count.
   */
  async remove(folders: RealFolders, isTaken: (name: string) => boolean): Promise<void> {
    for await (const { name, file } of this.#stale.items()) {
      if (isTaken(name) && this.#lost.get(collisionKey(name)) === undefined) continue;
      const path = join(folders.out, name);
      if (!(await folders.leadTo(name))) continue;
      if (await hasContent(path, file.sha256)) await rm(path, { force: true });
    }
  }

  /** Removes the list on disk. Call it in any case. */
  async dispose(): Promise<void> {
    await this.#stale.remove();
  }

  /** Collects the files that a row had in some earlier state. */
  async #push(row: RowRecord): Promise<void> {
    for (const file of namedFilesOf(row, this.#batch)) await this.#stale.add(file);
  }

  /** Reads the released files of all rows at once: there are few, because each is a user's decision. */
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
 * A list in a temporary file, because it may be as long as the batch. Add items, then read them once. The file is only
 * created for a long list; if the process is killed, `sweepParts` (`atomic-file.ts`) removes it later.
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

  /** Yields all items, in insertion order. */
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
