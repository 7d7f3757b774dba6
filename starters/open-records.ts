import { findBatch } from '../batches/find-batch.ts';
import { LedgerMissing } from '../ledger/errors.ts';
import type { Ledger } from '../ledger/ledger.ts';
import type { BatchRecord } from '../ledger/record-types.ts';
import { openLedger, type OpenOptions } from '../ledger/open-ledger.ts';
import { ExitError } from './exit-error.ts';
import { beforeWork } from './machine-trouble.ts';
import type { Settings } from './settings.ts';

/** Opens the ledger; `mustExist` for commands that only look, `thread` for those that work on batches. */
export async function openRecords(settings: Settings, options: OpenOptions): Promise<Ledger> {
  try {
    return await beforeWork(() => openLedger(settings.ledger, options));
  } catch (error) {
    if (error instanceof LedgerMissing) {
      throw new ExitError('usage', `There is no batch here yet (${settings.ledger}). Start one: voxbatch run MANIFEST`);
    }
    throw error;
  }
}

/** The batch of this name; without a name the newest one. */
export async function chooseBatch(ledger: Ledger, name: string | undefined): Promise<BatchRecord> {
  const found = await findBatch(ledger, name);
  if (found.is === 'found') return found.batch;
  if (name === undefined) throw new ExitError('usage', 'There is no batch here yet. Start one: voxbatch run MANIFEST');
  const known = found.known.join(', ');
  throw new ExitError('usage', `There is no batch "${name}" here. Known: ${known === '' ? 'none' : known}.`);
}
