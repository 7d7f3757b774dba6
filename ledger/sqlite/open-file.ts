import { closeSync, openSync, rmSync } from 'node:fs';
import { access, mkdir } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { Dialect } from 'kysely';
import { LedgerMissing, LedgerUnreachable } from '../errors.ts';
import { openSqlite } from './dialect.ts';
import { refuseNetworkDisk, type Disks } from './network-disk.ts';

/** How a database file is opened. */
export interface OpenFileOptions {
  /** Throw {@link LedgerMissing}, and create no file. */
  readonly mustExist: boolean;
  /** Tells network disks from others; tests replace it. Default: the system. */
  readonly disks?: Disks;
}

/**
 * Opens the database file at this path, creating it and its folder if needed. Throws {@link LedgerUnreachable}, also
 * for a file on a network disk, and {@link LedgerMissing}.
 */
export async function openFile(path: string, { mustExist, disks }: OpenFileOptions): Promise<Dialect> {
  await refuseNetworkDisk(path, disks);
  if (mustExist) {
    if (!(await exists(path))) throw new LedgerMissing(path);
  } else {
    await makeFolder(path);
  }
  return openSqlite(path);
}

/** Makes an empty file where there is none, with its folder. `onMade` throws: there is none again. */
export async function makeFile(path: string, onMade: () => void): Promise<void> {
  await refuseNetworkDisk(path);
  await makeFolder(path);
  try {
    closeSync(openSync(path, 'wx', 0o600));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return;
    throw unreachable(path, error);
  }
  try {
    onMade();
  } catch (error) {
    rmSync(path);
    throw error;
  }
}

async function exists(path: string): Promise<boolean> {
  try {
    await access(path);
    return true;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT' || code === 'ENOTDIR') return false;
    throw unreachable(path, error);
  }
}

async function makeFolder(path: string): Promise<void> {
  try {
    // It holds the users' texts.
    await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  } catch (error) {
    throw unreachable(path, error);
  }
}

function unreachable(path: string, error: unknown): LedgerUnreachable {
  const detail = (error as NodeJS.ErrnoException).message;
  return new LedgerUnreachable(
    path,
    detail,
    'Make its folder writable, or set VOXBATCH_HOME or VOXBATCH_LEDGER.',
    error,
  );
}
