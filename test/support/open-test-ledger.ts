import { randomUUID } from 'node:crypto';
import { existsSync, writeFileSync } from 'node:fs';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Ledger } from '../../ledger/ledger.ts';
import { openLedger, type OpenOptions } from '../../ledger/open-ledger.ts';
import { openPostgresLedger } from './postgres-ledger.ts';

/** A ledger without rows, as its file is when it is closed. */
interface EmptyLedger {
  readonly id: string;
  readonly file: Buffer;
}

let empty: Promise<EmptyLedger> | undefined;

/**
 * Opens the ledger in this file. One that is not there yet is written as a copy, with an id of its own, of one that the first call in a
 * test file makes by the migrations: those take 40 ms of a core, a copy takes 4. The folder must be there. Under `npm run test:postgres` it is in a database instead.
 */
export async function openTestLedger(path: string, options: Pick<OpenOptions, 'clock'> = {}): Promise<Ledger> {
  const postgres = process.env['TEST_POSTGRES'];
  if (postgres !== undefined) return openPostgresLedger(postgres, path, options.clock);
  empty ??= makeEmpty();
  const { id, file } = await empty;
  // At once, so that nobody opens half a file.
  if (!existsSync(path)) writeFileSync(path, file.toString('latin1').replaceAll(id, randomUUID()), 'latin1');
  return openLedger(path, options);
}

async function makeEmpty(): Promise<EmptyLedger> {
  const folder = await mkdtemp(join(tmpdir(), 'voxbatch-empty-'));
  try {
    const path = join(folder, 'ledger.db');
    const ledger = await openLedger(path);
    await ledger.close();
    return { id: ledger.id, file: await readFile(path) };
  } finally {
    await rm(folder, { recursive: true });
  }
}
