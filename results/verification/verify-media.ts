import { join } from 'node:path';
import { sha256Of } from '../../inputs/regular-file.ts';
import { SeenTable } from '../../inputs/seen-table.ts';
import type { Findings } from './mismatch.ts';
import { MEDIA_FOLDER } from '../../inputs/output-name.ts';
import { checkName, UnfitName } from '../media-names.ts';
import { lstatsOf } from '../files.ts';

/** Max files read concurrently. */
const AT_ONCE = 8;

/** A media file that must be in the folder, by its receipt. */
export interface NamedFile {
  /** Path below the out folder. */
  readonly name: string;
  readonly bytes: number;
  readonly sha256: string;
}

/** A media file that is missing or differs from its receipt. */
export interface WrongMedia {
  readonly row: number;
  /** Hash of the correct content. */
  readonly sha256: string;
}

/** Max wrong media kept. */
const MAX_KEPT = 1_000;

/** Compares media files with their receipts: call `add` for each row, then `finish`. */
export class MediaCheck {
  readonly #folder: string;
  readonly #findings: Findings;
  readonly #owners = new SeenTable();
  #waiting: { readonly row: number; readonly file: NamedFile }[] = [];
  readonly #wrong: WrongMedia[] = [];
  #read = 0;

  constructor(folder: string, findings: Findings) {
    this.#folder = folder;
    this.#findings = findings;
  }

  /** Adds the files of a row, to be read in groups. */
  async add(row: number, files: readonly NamedFile[]): Promise<void> {
    for (const file of files) {
      const owner = this.#owners.lineBefore(file.name, row);
      if (owner !== undefined) {
        this.#findings.add(`row ${row}, ${file.name}`, 'a file of its own', `the name of the file of row ${owner}`);
      }
      this.#waiting.push({ row, file });
    }
    if (this.#waiting.length >= AT_ONCE) await this.#readWaiting();
  }

  /** Reads the rest. Returns how many files were read in all, and which are wrong. */
  async finish(): Promise<{ readonly read: number; readonly wrong: readonly WrongMedia[] }> {
    await this.#readWaiting();
    return { read: this.#read, wrong: this.#wrong };
  }

  async #readWaiting(): Promise<void> {
    const waiting = this.#waiting;
    this.#waiting = [];
    await Promise.all(
      waiting.map(async ({ row, file }) => {
        const isRight = await this.#check(`row ${row}, ${file.name}`, file);
        if (!isRight && this.#wrong.length < MAX_KEPT) this.#wrong.push({ row, sha256: file.sha256 });
      }),
    );
  }

  /** Returns false if the file is missing or has other content than its receipt names; true if the name is not ours. */
  async #check(where: string, file: NamedFile): Promise<boolean> {
    if (!isBelowMedia(file.name)) {
      this.#findings.add(where, `a file below ${MEDIA_FOLDER}/`, 'another place');
      return true;
    }
    const path = join(this.#folder, file.name);
    const stats = await lstatsOf(path);
    if (stats?.isFile() !== true) {
      this.#findings.add(
        where,
        `a file of ${file.bytes} bytes`,
        stats === undefined ? 'no such file' : 'no plain file',
      );
      return false;
    }
    this.#read += 1;
    if (stats.size !== BigInt(file.bytes)) {
      this.#findings.add(where, `${file.bytes} bytes`, `${stats.size} bytes`);
      return false;
    }
    const sha256 = await sha256Of(path);
    this.#findings.compare(`${where}, sha256`, file.sha256, sha256);
    return sha256 === file.sha256;
  }
}

/**
 * Returns whether a path stays below `media/`: a tampered receipt must not make us read other files of this machine.
 */
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
