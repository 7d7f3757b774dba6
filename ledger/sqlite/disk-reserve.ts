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
import { NO_ROOM } from './errors.ts';
import type { Reserve } from '../driver.ts';

const MIB = 1024 ** 2;
/**
 * Answers to a hundred requests take less than 1 MiB of the log. The rest is for a log that cannot be checkpointed, and
 * for small files that arrive with their answers.
 */
const RESERVE_BYTES = 8 * MIB;
/** Free space required in addition, or the disk would fill up again at once. */
const MIN_FREE_BYTES = 8 * MIB;

/** Queries the free space of the disk with a folder, as `statfsSync` does. */
type StatFs = (folder: string) => Pick<StatsFs, 'bavail' | 'bsize' | 'blocks'>;

/**
 * Disk space reserved for answers to paid requests: a file beside the ledger, which is deleted when the disk is full.
 */
export class DiskReserve implements Reserve {
  readonly #ledger: string;
  readonly #minFree: number;
  readonly #statFs: StatFs;
  /** Whether no reserve can be created here, so that work continues without one. */
  #isUseless = false;
  /** False once the system reported zero blocks for a file just written with real data. */
  #countsBlocks = true;

  /**
   * `ledger`: its path. `minFree`: bytes that must stay free besides the reserve. Tests replace the last two.
   */
  constructor(ledger: string, minFree = MIN_FREE_BYTES, statFs: StatFs = statfsSync) {
    this.#ledger = ledger;
    this.#minFree = minFree;
    this.#statFs = statFs;
  }

  begin(): void {
    const file = this.#file();
    if (this.#isKept(file))
      this.#requireFree(file, this.#minFree, ` besides the ${String(RESERVE_BYTES / MIB)} MiB reserved`);
    else this.hold();
  }

  hold(): void {
    const file = this.#file();
    if (this.#isUseless || this.#isKept(file)) return;
    const needed = RESERVE_BYTES + this.#minFree;
    const free = this.#requireFree(file, needed);
    try {
      fill(`${file}.part`);
      renameSync(`${file}.part`, file);
      this.#countsBlocks = this.#isKept(file);
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      // Another process is creating it. If that fails, the next request tries again.
      if (code === 'EEXIST' || code === 'ENOENT') return;
      rmSync(`${file}.part`, { force: true, recursive: true });
      if (code === 'ENOSPC' || code === 'EDQUOT') throw this.#tooFull(free, needed);
      // For example, a file size limit. Then no reserve is possible, and work continues without one.
      this.#isUseless = true;
    }
  }

  fault(): LedgerFull | undefined {
    const file = this.#file();
    // Checks only its size: only the process that wrote it knows whether the system counts blocks.
    const isThere = (lstatSync(file, { throwIfNoEntry: false })?.size ?? 0) >= RESERVE_BYTES;
    const needed = isThere ? NO_ROOM : RESERVE_BYTES + this.#minFree;
    const free = this.#freeIn(dirname(file));
    return free < needed ? this.#tooFull(free, RESERVE_BYTES + this.#minFree) : undefined;
  }

  free(): void {
    rmSync(this.#file(), { force: true });
  }

  isOnDiskOf(folder: string): boolean {
    try {
      return statSync(folder).dev === statSync(dirname(this.#file())).dev;
    } catch {
      // The write to that folder will report the problem.
      return false;
    }
  }

  /** Whether the file really reserves the space: its bytes are on the disk, and it is not a link. */
  #isKept(file: string): boolean {
    const found = lstatSync(file, { throwIfNoEntry: false });
    if (found?.isFile() !== true || found.size < RESERVE_BYTES) return false;
    return !this.#countsBlocks || found.blocks * 512 >= RESERVE_BYTES;
  }

  #requireFree(file: string, needed: number, besides = ''): number {
    const free = this.#freeIn(dirname(file));
    if (free < needed) throw this.#tooFull(free, needed, besides);
    return free;
  }

  /** Returns the free bytes; infinite on file systems that do not report their size. */
  #freeIn(folder: string): number {
    const { bavail, bsize, blocks } = this.#statFs(folder);
    return blocks > 0 ? bavail * bsize : Infinity;
  }

  /** Path of the reserve file, the same for all paths to one ledger. */
  #file(): string {
    return `${realpathSync(this.#ledger)}.reserve`;
  }

  #tooFull(free: number, needed: number, besides = ''): LedgerFull {
    const [has, needs] = [free, needed].map((bytes) => String(Math.floor(bytes / MIB)));
    return new LedgerFull(
      this.#ledger,
      `the disk is full (${has ?? ''} MiB are free; ${needs ?? ''} MiB are needed${besides}, so that each answer to a paid request can be recorded)`,
      `Free some space, then run the same command again. Or keep it on another disk: ${moveAdvice(resolve(dirname(this.#ledger)))}`,
    );
  }
}

/**
 * Creates the reserve file. Random bytes, because zeros would take no space on a compressing disk. Always a new file,
 * so that no link is followed.
 */
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
