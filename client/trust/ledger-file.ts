import { realpathSync, statSync } from 'node:fs';

/**
 * A file as nobody can bring it along: an archive or a copy gets another birth, and so does what is restored from a
 * backup. No device: its number may change with each start of the machine.
 */
export interface LedgerFile {
  /** Absolute, links resolved. */
  readonly path: string;
  readonly inode: number;
  /** When the file system made it, ms; 0 if it does not say. */
  readonly born: number;
}

/** The file of a ledger; undefined if it is not there, or is no file. */
export function ledgerFile(address: string): LedgerFile | undefined {
  try {
    const path = realpathSync(address);
    const { ino, birthtimeMs } = statSync(path);
    return { path, inode: ino, born: birthtimeMs };
  } catch {
    return undefined;
  }
}
