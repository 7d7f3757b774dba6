import { readFileSync } from 'node:fs';
import { ServerUnavailable } from '../embedded/server-unavailable.ts';
import {
  LedgerUnreachable,
  LedgerReadOnly,
  CopyInDoubt,
  LedgerTooNew,
  LoadTakenOver,
  LedgerAway,
  LedgerFull,
} from '../ledger/errors.ts';
import { StoreUnwritable } from '../store/errors.ts';
import { VoxbatchError } from './problem.ts';
import type { Ledger } from '../ledger/ledger.ts';
import type { Settings } from './settings.ts';

/** System error codes for a disk that is full, read-only, unreachable or broken. */
const DISK_CODES = ['ENOSPC', 'EDQUOT', 'EFBIG', 'EROFS', 'EIO'];

/** System error codes for too many open files, of this process or of the whole machine. */
const OPEN_FILE_CODES = ['EMFILE', 'ENFILE'];

/**
 * Returns what a failed system call says of the machine: its `disk` is full, read-only, unreachable or broken, or too
 * many `open-files`; undefined for any other error.
 */
export function systemFault(error: unknown): 'disk' | 'open-files' | undefined {
  // The store has its own messages for the same codes.
  if (error instanceof StoreUnwritable) return undefined;
  const { code } = (error ?? {}) as { readonly code?: unknown };
  if (!(error instanceof Error) || typeof code !== 'string') return undefined;
  if (DISK_CODES.includes(code)) return 'disk';
  return OPEN_FILE_CODES.includes(code) ? 'open-files' : undefined;
}

/** True for a machine fault rather than a bug: disk, open files, ledger, store or Temporal server. */
export function isMachineFault(error: unknown): boolean {
  return (
    error instanceof ServerUnavailable ||
    // `LedgerAway` and `LedgerFull` among them.
    error instanceof LedgerUnreachable ||
    error instanceof LedgerReadOnly ||
    error instanceof CopyInDoubt ||
    error instanceof LedgerTooNew ||
    error instanceof LoadTakenOver ||
    error instanceof StoreUnwritable ||
    systemFault(error) !== undefined
  );
}

/**
 * True for a machine fault after which the ledger certainly has every paid request, so that repeating the command pays
 * for nothing twice. False for a copy of a ledger (a restored backup or a replica), which may lack some, and for an
 * outage that a person must fix.
 */
export function keepsAllCharges(error: unknown): boolean {
  if (error instanceof LedgerAway) return !error.needsPerson;
  return (
    error instanceof ServerUnavailable ||
    error instanceof LedgerFull ||
    error instanceof StoreUnwritable ||
    systemFault(error) !== undefined
  );
}

/** Runs preparations that precede any paid request; rethrows machine faults as {@link VoxbatchError} (`machine`). */
export async function wrapMachineFaults<T>(prepare: () => T | Promise<T>): Promise<T> {
  try {
    return await prepare();
  } catch (cause) {
    throw isMachineFault(cause) ? new VoxbatchError({ type: 'machine', cause }) : cause;
  }
}

/** The facts that say whether a ledger can be written to. */
export type WritableFacts = Pick<Ledger, 'place' | 'readOnly'>;

/**
 * Throws {@link VoxbatchError} (`machine`) for a ledger that was moved elsewhere, or is being filled by a copy. Its
 * database refuses every write anyway; this reports it before any work begins.
 */
export function requireWritable({ place, readOnly }: WritableFacts): void {
  if (readOnly === undefined) return;
  throw new VoxbatchError({ type: 'machine', cause: new LedgerReadOnly(place, readOnly) });
}

/** Smallest usable limit on the size of files, bytes. */
const MIN_BYTES = 1e9;

/**
 * Throws {@link VoxbatchError} (`small-files`) if this process may write only small files (`ulimit -f`), a limit that
 * its server inherits: the ledger would fail in mid-batch, while paid answers arrive. Does nothing on systems that do
 * not show their limits.
 */
export function requireLargeFiles(): void {
  const [, soft, hard] = /^Max file size +(\S+) +(\S+)/mu.exec(readLimits()) ?? [];
  // NaN for `unlimited`, and where no limits are shown: it is below no bound.
  const mostBytes = Number(soft);
  if (mostBytes < MIN_BYTES) throw new VoxbatchError({ type: 'small-files', mostBytes, mayLift: hard === 'unlimited' });
}

/** Empty on systems other than Linux. */
function readLimits(): string {
  try {
    return readFileSync('/proc/self/limits', 'utf8');
  } catch {
    return '';
  }
}

const MIB = 1024 ** 2;

/** Free space below this is worth a warning, bytes: a batch of a few thousand rows may need that much. */
const LITTLE_BYTES = 100 * MIB;

/** Warns if little disk space is left for the records or the media. */
export async function warnOfLittleDisk(
  { home, store }: Pick<Settings, 'home' | 'store'>,
  say: (line: string) => void,
): Promise<void> {
  // Loaded here, because most commands that load this file do not open a store.
  const { freeSpace } = await import('../store/open-store.ts');
  for (const folder of new Set([home, store])) {
    const free = await freeSpace(folder);
    if (free === null || free >= LITTLE_BYTES) continue;
    say(
      `Only ${String(Math.floor(free / MIB))} MiB are free for ${folder}. When the disk is full, the batch stops, and no answer is lost.`,
    );
    return;
  }
}
