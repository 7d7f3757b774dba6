import { closeSync, existsSync, openSync, realpathSync, renameSync, rmSync, statfsSync, writeSync } from 'node:fs';
import { dirname } from 'node:path';
import { randomFillSync } from 'node:crypto';
import { LedgerFull } from '../errors.ts';
import type { Reserve } from '../reserve.ts';

const MIB = 1024 ** 2;
/**
 * The answers to a hundred requests take less than 1 MiB of the log. The rest is for a log that cannot be merged into
 * the database, and for speech that came with its answer.
 */
const RESERVE_BYTES = 8 * MIB;
/** What must be free beside it, or the disk would be full again at once. */
const LEAST_FREE_BYTES = 8 * MIB;

/** A file beside the ledger that is deleted when the disk is full. */
export class DiskReserve implements Reserve {
  readonly #ledger: string;
  readonly #leastFree: number;
  #isUseless = false;

  /** `leastFree`: what must be free beside it, in bytes; tests say another. */
  constructor(ledger: string, leastFree = LEAST_FREE_BYTES) {
    this.#ledger = ledger;
    this.#leastFree = leastFree;
  }

  hold(): void {
    const file = this.#file();
    if (this.#isUseless || existsSync(file)) return;
    const { bavail, bsize } = statfsSync(dirname(file));
    const needed = RESERVE_BYTES + this.#leastFree;
    if (bavail * bsize < needed) throw this.#tooFull(bavail * bsize, needed);
    try {
      fill(`${file}.part`);
      renameSync(`${file}.part`, file);
    } catch (error) {
      // Another process has just made it.
      if (existsSync(file)) return;
      rmSync(`${file}.part`, { force: true });
      const { code } = error as NodeJS.ErrnoException;
      if (code === 'ENOSPC' || code === 'EDQUOT') throw this.#tooFull(bavail * bsize, needed);
      // A limit for the size of files, say. Nothing can be kept then, and work goes on without.
      this.#isUseless = true;
    }
  }

  free(): void {
    rmSync(this.#file(), { force: true });
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
      'Free some space, or set VOXBATCH_HOME to a folder on another disk, and run the same command again.',
    );
  }
}

/** Zeros would take no room on a disk that compresses. */
function fill(path: string): void {
  const block = randomFillSync(Buffer.alloc(MIB));
  const file = openSync(path, 'w', 0o600);
  try {
    for (let at = 0; at < RESERVE_BYTES;) at += writeSync(file, block);
  } finally {
    closeSync(file);
  }
}
