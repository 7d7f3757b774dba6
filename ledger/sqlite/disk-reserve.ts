import {
  closeSync,
  fsyncSync,
  lstatSync,
  openSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  statfsSync,
  writeSync,
  type StatsFs,
} from 'node:fs';
import { dirname, resolve } from 'node:path';
import { randomFillSync } from 'node:crypto';
import { moveAdvice } from '../../contract/other-disk.ts';
import { LedgerFull } from '../errors.ts';
import type { Reserve } from '../driver.ts';

const MIB = 1024 ** 2;
/**
 * The answers to a hundred requests take less than 1 MiB of the log. The rest is for a log that cannot be merged into
 * the database, and for small files that came with their answers.
 */
const RESERVE_BYTES = 8 * MIB;
/** What must be free beside it, or the disk would be full again at once. */
const LEAST_FREE_BYTES = 8 * MIB;

type Look = (folder: string) => Pick<StatsFs, 'bavail' | 'bsize' | 'blocks'>;

/** A file beside the ledger that is deleted when the disk is full. */
export class DiskReserve implements Reserve {
  readonly #ledger: string;
  readonly #leastFree: number;
  readonly #look: Look;
  #isUseless = false;
  /** False once a file of real bytes, just written, was said to take no room. */
  #countsBlocks = true;

  /** `leastFree`: what must be free beside it, in bytes. `look`: asks the system how full a disk is. Tests say others. */
  constructor(ledger: string, leastFree = LEAST_FREE_BYTES, look: Look = statfsSync) {
    this.#ledger = ledger;
    this.#leastFree = leastFree;
    this.#look = look;
  }

  hold(): void {
    const file = this.#file();
    if (this.#isUseless || this.#isKept(file)) return;
    const { bavail, bsize, blocks } = this.#look(dirname(file));
    const needed = RESERVE_BYTES + this.#leastFree;
    // Some file systems do not say how large they are.
    if (blocks > 0 && bavail * bsize < needed) throw this.#tooFull(bavail * bsize, needed);
    try {
      fill(`${file}.part`);
      renameSync(`${file}.part`, file);
      this.#countsBlocks = this.#isKept(file);
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      // Another process makes it at this moment. If that fails, the next request tries again.
      if (code === 'EEXIST' || code === 'ENOENT') return;
      rmSync(`${file}.part`, { force: true, recursive: true });
      if (code === 'ENOSPC' || code === 'EDQUOT') throw this.#tooFull(bavail * bsize, needed);
      // A limit for the size of files, say. Nothing can be kept then, and work goes on without.
      this.#isUseless = true;
    }
  }

  free(): void {
    rmSync(this.#file(), { force: true });
  }

  isOnDiskOf(folder: string): boolean {
    try {
      return statSync(folder).dev === statSync(dirname(this.#file())).dev;
    } catch {
      // Who writes there is told what is wrong.
      return false;
    }
  }

  /** True if the file really keeps the room: its bytes are on the disk, and it is no link to others. */
  #isKept(file: string): boolean {
    const found = lstatSync(file, { throwIfNoEntry: false });
    if (found?.isFile() !== true || found.size < RESERVE_BYTES) return false;
    return !this.#countsBlocks || found.blocks * 512 >= RESERVE_BYTES;
  }

  /** Two names of one ledger have one reserve. */
  #file(): string {
    return `${realpathSync(this.#ledger)}.reserve`;
  }

  #tooFull(free: number, needed: number): LedgerFull {
    const [has, needs] = [free, needed].map((bytes) => String(Math.floor(bytes / MIB)));
    return new LedgerFull(
      this.#ledger,
      `the disk is full (${has ?? ''} MiB are free; ${needs ?? ''} MiB are needed, so that each answer to a paid request can be recorded)`,
      `Free some space, then run the same command again. Or keep it on another disk: ${moveAdvice(resolve(dirname(this.#ledger)))}`,
    );
  }
}

/** Zeros would take no room on a disk that compresses. Made anew, so that it follows no link. */
function fill(path: string): void {
  const block = randomFillSync(Buffer.alloc(MIB));
  rmSync(path, { force: true, recursive: true });
  const file = openSync(path, 'wx', 0o600);
  try {
    for (let at = 0; at < RESERVE_BYTES;) at += writeSync(file, block);
    // Some disks find out only now that they are full.
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
}
