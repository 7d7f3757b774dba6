import type { LedgerDriver } from '../driver.ts';
import { fileLocks } from './locks.ts';
import { makeFile, openFile } from './open-file.ts';

/** A ledger in a local file, through libsql (docs/decisions/ledger.md). */
export const sqlite: LedgerDriver = {
  make: makeFile,
  open: openFile,
  // What follows few commands need.
  strangeParts: async (db) => (await import('./strange-parts.ts')).strangeParts(db),
  versions: { v1: async (db) => (await import('./schema.ts')).up(db) },
  importFormer: async (place) => (await import('./import-former.ts')).importFormer(place),
  reserveOf: async (place) => new (await import('./disk-reserve.ts')).DiskReserve(place),
  blocksThread: true,
  locksOf: fileLocks,
};
