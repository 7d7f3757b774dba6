import { tryAddOperations } from '../contract/own-operations/own-operation-rules.ts';
import { statSync } from 'node:fs';
import { orElse } from '../contract/or-else.ts';
import { isLedgerFile } from '../contract/urls.ts';
import { LedgerMissing, readOnlyWords, UNACCEPTED } from '../ledger/errors.ts';
import type { Ledger } from '../ledger/ledger.ts';
import type { BatchRecord } from '../ledger/batches/batch-records.ts';
import type { OpenOptions } from '../ledger/open-ledger.ts';
import { VoxbatchError } from './problem.ts';
import { wrapMachineFaults } from './machine-faults.ts';
import { rememberLedger, type LedgerSettings } from './trust/known-ledgers.ts';
import { isUsableName } from '../contract/batch-name.ts';
import { isSingle } from '../contract/batch.ts';

/**
 * Opens the ledger, or creates it and records it as made by this user. `mustExist`: create none; `thread`: run SQLite
 * in a thread, for callers that work on batches. Throws {@link VoxbatchError} (`no-ledger`, `machine`,
 * `state-unwritable`).
 */
export async function openRecords(settings: LedgerSettings, options: OpenOptions): Promise<Ledger> {
  if (options.mustExist === true) {
    const ledger = await open(settings, options);
    if (options.thread === true) return ledger;
    try {
      await reportReadOnly(settings, ledger);
      return ledger;
    } catch (error) {
      await ledger.close();
      throw error;
    }
  }
  // Recorded at creation: after a kill in between, the next command would treat the ledger as a stranger's.
  const onMade = (): void => {
    try {
      rememberLedger(settings);
    } catch (error) {
      // Only later commands that do not name the ledger need the record. A named one works without it, for example in a
      // container without a home.
      if (!settings.isLedgerNamed) throw error;
    }
  };
  return open(settings, { ...options, onMade });
}

/**
 * Starts the thread of a ledger that is about to be opened, to save time; undefined if it needs none. Opens nothing.
 */
export async function beginRecords({ ledger }: Pick<LedgerSettings, 'ledger'>): Promise<OpenOptions['begun']> {
  const { beginLedgerThread } = await import('../ledger/open-ledger.ts');
  return beginLedgerThread(ledger);
}

/** Opens the existing ledger; undefined if there is none yet. Throws {@link VoxbatchError} (`machine`). */
export async function openRecordsIfAny(settings: Opened): Promise<Ledger | undefined> {
  try {
    return await open(settings, { mustExist: true });
  } catch (error) {
    if (error instanceof VoxbatchError && error.problem.type === 'no-ledger') return undefined;
    throw error;
  }
}

/** Reports to `onReadOnly` why no work can be done on a ledger, if that is so. */
export async function reportReadOnly(
  { onReadOnly }: Pick<LedgerSettings, 'onReadOnly'>,
  ledger: Pick<Ledger, 'place' | 'readOnly' | 'isAccepted'>,
): Promise<void> {
  const { place, readOnly } = ledger;
  if (onReadOnly === undefined) return;
  if (readOnly !== undefined) onReadOnly(readOnlyWords(place, readOnly));
  else if (!(await ledger.isAccepted())) onReadOnly(`The ledger ${place} cannot be worked with: ${UNACCEPTED}.`);
}

/**
 * Whether there is no such file: a check that needs none of the ledger's code. A path that this user may not follow is
 * left for the ledger to report.
 */
function isCertainlyMissing(path: string): boolean {
  return orElse(() => statSync(path, { throwIfNoEntry: false }) === undefined, false);
}

type Opened = Pick<LedgerSettings, 'ledger' | 'onImported'>;

async function open({ ledger: address, onImported }: Opened, options: OpenOptions): Promise<Ledger> {
  if (options.mustExist === true && isLedgerFile(address) && isCertainlyMissing(address))
    throw new VoxbatchError({ type: 'no-ledger', ledger: address });
  try {
    const { openLedger } = await import('../ledger/open-ledger.ts');
    const ledger = await wrapMachineFaults(() => openLedger(address, options));
    // An older layout was imported; the older file is kept.
    if (ledger.former !== undefined) onImported?.(ledger.place, ledger.former);
    return ledger;
  } catch (error) {
    throw error instanceof LedgerMissing ? new VoxbatchError({ type: 'no-ledger', ledger: error.path }) : error;
  }
}

/** Returns the batch of this name, or the newest if none is named. Throws {@link VoxbatchError} (`no-batch`). */
export async function chooseBatch(ledger: Ledger, name: string | undefined): Promise<BatchRecord> {
  const found = await findBatch(ledger, name);
  if (found.type === 'found') return found.batch;
  throw new VoxbatchError({ type: 'no-batch', batch: name, known: found.known });
}

/** The batch found, or the names of the existing ones, without single jobs. */
export type FoundBatch =
  | { readonly type: 'found'; readonly batch: BatchRecord }
  | { readonly type: 'missing'; readonly known: readonly string[] };

/**
 * Finds the batch of this name, or the newest if none is named. The newest is a single job only if there is no other
 * batch: single jobs are repeated by their own command.
 */
export async function findBatch(ledger: Pick<Ledger, 'listBatches'>, name: string | undefined): Promise<FoundBatch> {
  // A ledger that came with a folder may name a batch `../..`, so that its files escape the out folder, or
  // `--on-end=COMMAND`.
  const all = (await ledger.listBatches()).filter((one) => isUsableName(one.name));
  const batches = all.filter((one) => !isSingle(one));
  const batch =
    name === undefined
      ? (batches.length === 0 ? all : batches).toSorted((a, b) => b.createdAt - a.createdAt)[0]
      : all.find((one) => one.name === name);
  // If the ledger runs in a thread, so far only that thread has registered the batch's own operations.
  tryAddOperations(batch?.settings.operations);
  return batch === undefined ? { type: 'missing', known: batches.map((one) => one.name) } : { type: 'found', batch };
}
