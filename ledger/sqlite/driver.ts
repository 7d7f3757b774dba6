import type { LedgerDriver } from '../driver.ts';
import { DiskReserve } from './disk-reserve.ts';
import { fileLocks } from './locks.ts';
import { MIGRATION_PROVIDER } from './migrations/all.ts';
import { makeFile, openFile } from './open-file.ts';
import { strangeParts } from './strange-parts.ts';

/** A ledger in a local file, through libsql (docs/decisions/ledger.md). */
export const sqlite: LedgerDriver = {
  make: makeFile,
  open: openFile,
  strangeParts,
  migrations: MIGRATION_PROVIDER,
  blocksThread: true,
  locksOf: fileLocks,
  reserveOf: (place) => new DiskReserve(place),
};
