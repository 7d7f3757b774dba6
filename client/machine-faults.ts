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

/** System error codes for a disk that is full, read-only, unreachable or broken. */
const DISK_CODES = new Set(['ENOSPC', 'EDQUOT', 'EFBIG', 'EROFS', 'EIO', 'EMFILE', 'ENFILE']);

/** True for a system call error that means that a disk is full, read-only, unreachable or broken. */
export function isDiskFault(error: unknown): error is Error {
  // The store has its own messages for the same codes.
  if (error instanceof StoreUnwritable) return false;
  const { code } = (error ?? {}) as { readonly code?: unknown };
  return error instanceof Error && typeof code === 'string' && DISK_CODES.has(code);
}

/** True for a machine fault rather than a bug: disk, ledger, store or Temporal server. */
export function isMachineFault(error: unknown): boolean {
  return (
    error instanceof ServerUnavailable ||
    error instanceof LedgerUnreachable ||
    error instanceof LedgerReadOnly ||
    error instanceof CopyInDoubt ||
    error instanceof LedgerTooNew ||
    error instanceof LoadTakenOver ||
    error instanceof StoreUnwritable ||
    isDiskFault(error)
  );
}

/**
 * True for a machine fault after which the ledger certainly has all that was paid, so that the same command pays for
 * nothing twice. A copy of it may lack some, and where a person has to act, that is not known.
 */
export function keepsAllCharges(error: unknown): boolean {
  if (error instanceof LedgerAway) return !error.needsPerson;
  return (
    error instanceof ServerUnavailable ||
    error instanceof LedgerFull ||
    error instanceof StoreUnwritable ||
    isDiskFault(error)
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

/** Whether a ledger can be written to. */
export type WritableFacts = Pick<Ledger, 'place' | 'readOnly'>;

/**
 * Throws {@link VoxbatchError} (`machine`) for a ledger that has moved, or into which another is being copied. Its
 * database refuses every write anyway; this says so before anything is begun.
 */
export function requireWritable({ place, readOnly }: WritableFacts): void {
  if (readOnly === undefined) return;
  throw new VoxbatchError({ type: 'machine', cause: new LedgerReadOnly(place, readOnly) });
}

/** Largest file below which a system's limit is too small for a batch, bytes. */
const LEAST_BYTES = 1e9;

/**
 * Throws {@link VoxbatchError} (`small-files`) if this process, and a server that it starts, may only write small files
 * (`ulimit -f`): the ledger would fail in mid-batch, while paid answers arrive. Does nothing where the system does not
 * tell its limits.
 */
export function requireLargeFiles(): void {
  const [, soft, hard] = /^Max file size +(\S+) +(\S+)/mu.exec(readLimits()) ?? [];
  const mostBytes = Number(soft);
  if (mostBytes < LEAST_BYTES)
    throw new VoxbatchError({ type: 'small-files', mostBytes, mayLift: hard === 'unlimited' });
}

/** Empty on systems other than Linux. */
function readLimits(): string {
  try {
    return readFileSync('/proc/self/limits', 'utf8');
  } catch {
    return '';
  }
}
