import { join } from 'node:path';
import { lstatsOf, sha256Of } from './media.ts';
import type { Findings } from './mismatch.ts';
import { checkName, MEDIA_FOLDER, UnfitName } from './names.ts';
import type { NamedFile } from './verify-rows.ts';

/** Files read side by side. */
const AT_ONCE = 8;

/** Reads media files and compares them with what the receipts say of them. */
export class MediaCheck {
  readonly #folder: string;
  readonly #findings: Findings;
  readonly #owners = new Map<string, number>();
  #waiting: { readonly row: number; readonly file: NamedFile }[] = [];
  #read = 0;

  constructor(folder: string, findings: Findings) {
    this.#folder = folder;
    this.#findings = findings;
  }

  /** Adds the files of a row; they are read when some have gathered. */
  async add(row: number, files: readonly NamedFile[]): Promise<void> {
    for (const file of files) {
      const owner = this.#owners.get(file.name);
      if (owner !== undefined) {
        this.#findings.add(`row ${row}, ${file.name}`, 'a file of its own', `the name of the file of row ${owner}`);
      }
      this.#owners.set(file.name, row);
      this.#waiting.push({ row, file });
    }
    if (this.#waiting.length >= AT_ONCE) await this.#readWaiting();
  }

  /** Reads the rest. Returns how many files were read in all. */
  async finish(): Promise<number> {
    await this.#readWaiting();
    return this.#read;
  }

  async #readWaiting(): Promise<void> {
    const waiting = this.#waiting;
    this.#waiting = [];
    await Promise.all(waiting.map(async ({ row, file }) => this.#check(`row ${row}, ${file.name}`, file)));
  }

  async #check(where: string, file: NamedFile): Promise<void> {
    if (!isBelowMedia(file.name)) {
      this.#findings.add(where, `a file below ${MEDIA_FOLDER}/`, 'another place');
      return;
    }
    const path = join(this.#folder, file.name);
    const stats = await lstatsOf(path);
    if (stats?.isFile() !== true) {
      this.#findings.add(
        where,
        `a file of ${file.bytes} bytes`,
        stats === undefined ? 'no such file' : 'no plain file',
      );
      return;
    }
    this.#read += 1;
    if (stats.size !== BigInt(file.bytes)) this.#findings.add(where, `${file.bytes} bytes`, `${stats.size} bytes`);
    else this.#findings.compare(`${where}, sha256`, file.sha256, await sha256Of(path));
  }
}

/** A tampered receipt must not make us read other files of this machine. */
function isBelowMedia(name: string): boolean {
  const prefix = `${MEDIA_FOLDER}/`;
  if (!name.startsWith(prefix)) return false;
  try {
    checkName(name.slice(prefix.length));
    return true;
  } catch (error) {
    if (error instanceof UnfitName) return false;
    throw error;
  }
}
