import { existsSync, realpathSync } from 'node:fs';
import { defined } from '../../contract/defined.ts';
import { copyLedger } from '../../ledger/copy/copy-ledger.ts';
import type { CopyMoment, CopyProgress, CopySide } from '../../ledger/copy/copy-side.ts';
import { CopyDiffers, CopyRefused } from '../../ledger/copy/copy-refused.ts';
import { openSide } from '../../ledger/copy/open-side.ts';
import { LedgerInUse } from '../../ledger/errors.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import { readLedgerAddress, type LedgerAddress } from '../../ledger/supported-databases.ts';
import { openRecords } from '../open-records.ts';
import { refuseOption, VoxbatchError } from '../problem.ts';
import { wrapMachineFaults } from '../machine-faults.ts';
import type { Settings } from '../settings.ts';
import { rememberLedger } from '../trust/known-ledgers.ts';
import { viewSums, type LedgerCopyView } from './ledger-view.ts';

/** What a copy will move, shown for confirmation. */
export interface CopyForecast {
  readonly from: string;
  readonly to: string;
  readonly batches: number;
  /** Batches that have not ended, and continue in the new database. */
  readonly open: number;
  readonly rows: number;
}

/** Input of {@link copyLedgerTo}. */
export interface CopyOptions {
  /** Addresses of the two ledgers, in the form of `VOXBATCH_LEDGER`. */
  readonly from: string;
  readonly to: string;
  readonly settings: Pick<Settings, 'env' | 'isLedgerNamed' | 'onImported'>;
  /** Called with the ledger before anything is copied; rejects if this user has not created or confirmed it. */
  readonly admit: (ledger: Ledger) => Promise<void>;
  /** Called before anything is changed; rejects to cancel. */
  readonly confirm: (forecast: CopyForecast) => Promise<void>;
  readonly onProgress?: (progress: CopyProgress) => void;
  /** Test hook, awaited at each step that a kill could interrupt. */
  readonly atMoment?: ((moment: CopyMoment) => void | Promise<void>) | undefined;
}

/**
 * Moves a ledger to another database, where its open batches continue; see `ledger/copy/copy-ledger.ts`. After a kill,
 * the same call resumes the copy. Sends and spends nothing. Throws {@link VoxbatchError} (`bad-option`, `machine`,
 * `copy-refused`, `copy-held`, `copy-differs`).
 */
export async function copyLedgerTo(options: CopyOptions): Promise<LedgerCopyView> {
  const { settings, onProgress, atMoment } = options;
  const [source, target] = [addressOf('FROM', options.from), addressOf('TO', options.to)];
  if (realOf(source) === realOf(target)) {
    const places = { from: options.from, to: options.to };
    throw new VoxbatchError({ type: 'copy-refused', ...places, refusal: { why: 'same' } });
  }
  await confirmCopy(source.address, target, options).catch((error: unknown) => {
    if (!(error instanceof VoxbatchError) || error.problem.type !== 'no-ledger') throw error;
    refuseOption('FROM', 'a ledger that is there', error.problem.ledger);
  });
  // The opened databases, which are closed at the end.
  const sides: CopySide[] = [];
  const openNext = async (...args: Parameters<typeof openSide>): Promise<CopySide> => {
    const side = await wrapMachineFaults(() => openSide(...args));
    sides.push(side);
    return side;
  };
  try {
    const from = await openNext(source.address);
    const { env } = settings;
    const to = await openNext(target.address, () => {
      rememberIfPossible({ ledger: target.address, env });
    });
    const places = { from: from.database.place, to: to.database.place };
    const copied = await withCopyErrors(places, () => copyLedger({ from, to, onProgress, atMoment }));
    rememberIfPossible({ ledger: target.address, env }, from.database);
    // An earlier call may have copied everything; then nothing was counted now.
    const isCounted = copied.type === 'copied';
    return {
      ...places,
      result: copied.type,
      batches: isCounted ? viewSums(copied.tally) : [],
      lines: new Map(isCounted ? Object.entries(copied.lines) : []),
    };
  } finally {
    await Promise.all(sides.map(({ database }) => database.db.destroy()));
  }
}

/** Has the copy confirmed, unless an earlier call has already copied everything and only the end is left. */
async function confirmCopy(source: string, target: Address, { settings, admit, confirm }: CopyOptions): Promise<void> {
  const { env, isLedgerNamed, onImported } = settings;
  const opened = { ledger: source, env, isLedgerNamed, ...defined({ onImported }) };
  const ledger = await openRecords(opened, { mustExist: true });
  try {
    if (ledger.readOnly !== undefined) return;
    await admit(ledger);
    const batches = await ledger.listBatches();
    const driver = await target.load();
    await confirm({
      from: ledger.place,
      to: driver.describe(target.address),
      batches: batches.length,
      open: batches.filter((batch) => batch.state !== 'closed').length,
      rows: batches.reduce((sum, batch) => sum + batch.rows, 0),
    });
  } finally {
    await ledger.close();
  }
}

type Address = Extract<LedgerAddress, { readonly type: 'address' }>;

function addressOf(operand: 'FROM' | 'TO', given: string): Address {
  const read = readLedgerAddress(given);
  return read.type === 'address' ? read : refuseOption(operand, read.expected, read.got);
}

/** Resolves links, because two paths may lead to the same file. */
function realOf({ address }: Address): string {
  return existsSync(address) ? realpathSync(address) : address;
}

/** Records the ledger as this user's, if possible; see {@link rememberLedger}. */
function rememberIfPossible(...args: Parameters<typeof rememberLedger>): void {
  try {
    rememberLedger(...args);
  } catch {
    // Only commands that do not name the ledger need the record. They ask for confirmation then.
  }
}

/** Runs the copy, and turns its errors into {@link VoxbatchError}. */
async function withCopyErrors<T>(
  places: { readonly from: string; readonly to: string },
  work: () => Promise<T>,
): Promise<T> {
  try {
    return await wrapMachineFaults(work);
  } catch (error) {
    if (error instanceof CopyRefused)
      throw new VoxbatchError({ type: 'copy-refused', ...places, refusal: error.refusal });
    if (error instanceof CopyDiffers)
      throw new VoxbatchError({ type: 'copy-differs', ...places, differences: error.differences });
    if (error instanceof LedgerInUse)
      throw new VoxbatchError({ type: 'copy-held', ledger: error.path, holder: error.holder });
    throw error;
  }
}
