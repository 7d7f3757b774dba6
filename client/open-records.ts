import { findBatch } from '../batches/find-batch.ts';
import { LedgerMissing } from '../ledger/errors.ts';
import type { Ledger } from '../ledger/ledger.ts';
import type { BatchRecord } from '../ledger/record-types.ts';
import { openLedger, type OpenOptions } from '../ledger/open-ledger.ts';
import { beforeWork } from './before-work.ts';
import { VoxbatchError } from './problem.ts';
import type { Settings } from './settings.ts';

/**
 * Opens the ledger. `mustExist`: for read-only callers; `thread`: for callers that work on batches. Throws {@link
 * VoxbatchError} (`no-ledger`, `machine`).
 */
export async function openRecords({ ledger }: Pick<Settings, 'ledger'>, options: OpenOptions): Promise<Ledger> {
  try {
    return await beforeWork(() => openLedger(ledger, options));
  } catch (error) {
    throw error instanceof LedgerMissing ? new VoxbatchError({ type: 'no-ledger', ledger: error.path }) : error;
  }
}

/** The same, without creating a ledger; undefined if there is none yet. */
export async function openRecordsIfAny(settings: Pick<Settings, 'ledger'>): Promise<Ledger | undefined> {
  try {
    return await openRecords(settings, { mustExist: true });
  } catch (error) {
    if (error instanceof VoxbatchError && error.problem.type === 'no-ledger') return undefined;
    throw error;
  }
}

/** The batch of this name; without a name, the newest one. Throws {@link VoxbatchError} (`no-batch`). */
export async function chooseBatch(ledger: Ledger, name: string | undefined): Promise<BatchRecord> {
  const found = await findBatch(ledger, name);
  if (found.type === 'found') return found.batch;
  throw new VoxbatchError({ type: 'no-batch', batch: name, known: found.known });
}
