import type { LedgerDriver } from '../driver.ts';
import { DiskReserve } from './disk-reserve.ts';
import { importFormer } from './import-former.ts';
import { fileLocks } from './locks.ts';
import { makeFile, openFile } from './open-file.ts';
import { VERSIONS } from './schema.ts';
import { strangeParts } from './strange-parts.ts';

/** A ledger in a local file, through libsql (docs/decisions/ledger.md). */
export const sqlite: LedgerDriver = {
  make: makeFile,
  open: openFile,
  strangeParts,
  versions: VERSIONS,
  importFormer,
  blocksThread: true,
  locksOf: fileLocks,
  reserveOf: (place) => new DiskReserve(place),
};
