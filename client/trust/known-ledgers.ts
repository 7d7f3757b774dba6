import { realpathSync, statSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import type { Ledger } from '../../ledger/ledger.ts';
import { birthTimeMs, isMadeHere, isSameFile, type KnownFile } from '../../policy/trust/known-file.ts';
import { VoxbatchError } from '../problem.ts';
import type { Settings } from '../settings.ts';
import { requireWritable, type WritableFacts } from '../machine-faults.ts';
import { readState, removeState, stateFile, stateFolder, writeState } from './state-files.ts';

/** A ledger's place, and whether its user named it. */
export type LedgerSettings = Pick<Settings, 'ledger' | 'isLedgerNamed' | 'env' | 'onImported' | 'onReadOnly'>;
type OpenLedger = Pick<Ledger, 'id' | 'origin' | 'place'>;

/** A ledger that this user has created or confirmed on this machine. */
interface KnownLedger extends KnownFile {
  /** The ledger's id; null if recorded at its creation, while it was empty. */
  readonly id: string | null;
}

/** Folder of the known ledgers' records, in the state folder. */
const KIND = 'ledgers';

/**
 * Whether a ledger may run commands and spend. `known`: the user named, created or confirmed it. `adopted`: an earlier
 * version created it here; it is known from now on. `unknown`: it may have come with the folder.
 */
export type LedgerTrust = 'known' | 'adopted' | 'unknown';

/** Determines and records a ledger's {@link LedgerTrust}. Throws {@link VoxbatchError} (`state-unwritable`). */
export function trustLedger(settings: LedgerSettings, ledger: OpenLedger): LedgerTrust {
  const { trust, isOnRecord } = lookUp(settings, ledger);
  if (trust !== 'unknown' && !isOnRecord) rememberLedger(settings, ledger);
  return trust;
}

/** Whether a ledger may neither run commands nor spend. For read-only commands: records nothing. */
export function isLedgerUnconfirmed(settings: LedgerSettings, ledger: OpenLedger): boolean {
  return lookUp(settings, ledger).trust === 'unknown';
}

function lookUp(
  settings: LedgerSettings,
  ledger: OpenLedger,
): { readonly trust: LedgerTrust; readonly isOnRecord: boolean } {
  if (settings.isLedgerNamed) return { trust: 'known', isOnRecord: true };
  const file = ledgerFile(settings.ledger);
  if (file === undefined) return { trust: 'unknown', isOnRecord: false };
  const known = recordOf(settings.env, file);
  if (known !== undefined && isSameFile(known, file)) {
    if (known.id === null) return { trust: 'known', isOnRecord: false };
    if (known.id === ledger.id) return { trust: 'known', isOnRecord: true };
  }
  // Earlier versions kept no such record; when the file was created shows whether they made the ledger here.
  const trust = isMadeHere({ born: file.born, ...ledger.origin }) ? 'adopted' : 'unknown';
  return { trust, isOnRecord: false };
}

/**
 * Throws {@link VoxbatchError} (`ledger-unconfirmed`, `state-unwritable`, `machine`) for a ledger that may neither run
 * commands nor spend.
 */
export function requireKnownLedger(settings: LedgerSettings, ledger: OpenLedger & WritableFacts): void {
  requireWritable(ledger);
  if (trustLedger(settings, ledger) !== 'unknown') return;
  throw new VoxbatchError({ type: 'ledger-unconfirmed', ledger: ledger.place });
}

/** Whether the ledger at this place is certainly known or does not exist: an estimate before it is opened. */
export function isPlaceKnown({ ledger, isLedgerNamed, env }: LedgerSettings): boolean {
  if (isLedgerNamed) return true;
  const file = ledgerFile(ledger);
  if (file === undefined) return true;
  const known = recordOf(env, file);
  return known !== undefined && isSameFile(known, file);
}

/** Records that the user has created or confirmed a ledger. Throws {@link VoxbatchError} (`state-unwritable`). */
export function rememberLedger(
  { ledger, env }: Pick<LedgerSettings, 'ledger' | 'env'>,
  confirmed?: Pick<OpenLedger, 'id'>,
): void {
  const file = ledgerFile(ledger);
  if (file === undefined) return;
  try {
    const known: KnownLedger = { id: confirmed?.id ?? null, ...file };
    writeState(stateFile(env, KIND, file.path), known);
  } catch (cause) {
    throw new VoxbatchError({ type: 'state-unwritable', folder: stateFolder(env), cause });
  }
}

/** Reverts {@link rememberLedger}. */
export function forgetLedger({ ledger, env }: Pick<LedgerSettings, 'ledger' | 'env'>): void {
  const file = ledgerFile(ledger);
  if (file !== undefined) removeState(stateFile(env, KIND, file.path));
}

function recordOf(env: NodeJS.ProcessEnv, { path }: KnownFile): Partial<KnownLedger> | undefined {
  const found = readState(stateFile(env, KIND, path));
  return typeof found === 'object' && found !== null ? found : undefined;
}

/**
 * A ledger's file; undefined if missing or not a file. Links in its path are resolved only up to the folder that holds
 * its home: `.voxbatch` itself may link to a home confirmed elsewhere, whose commands would then run in this folder.
 */
function ledgerFile(address: string): KnownFile | undefined {
  try {
    const home = dirname(resolve(address));
    const path = join(realpathSync(dirname(home)), basename(home), basename(address));
    const found = statSync(path);
    return { path, inode: found.ino, born: birthTimeMs(found, statSync(process.execPath), process.platform) };
  } catch {
    return undefined;
  }
}
