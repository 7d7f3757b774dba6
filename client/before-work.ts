import { ServerUnavailable } from '../embedded/server-unavailable.ts';
import { LedgerTooNew, LedgerUnreachable } from '../ledger/errors.ts';
import { StoreUnwritable } from '../store/errors.ts';
import { VoxbatchError } from './problem.ts';

/** Codes of system calls for a disk that is full, read-only, unreachable or broken. */
const DISK_CODES = new Set(['ENOSPC', 'EDQUOT', 'EFBIG', 'EROFS', 'EIO', 'EMFILE', 'ENFILE']);

/** True for a system call error that means that a disk is full, read-only, unreachable or broken. */
export function isDiskTrouble(error: unknown): error is Error {
  // The store has its own words for the same codes.
  if (error instanceof StoreUnwritable) return false;
  const { code } = (error ?? {}) as { readonly code?: unknown };
  return error instanceof Error && typeof code === 'string' && DISK_CODES.has(code);
}

/** True for an error of this machine, not of our code: its disk, the ledger, the store, the Temporal server. */
export function isMachineTrouble(error: unknown): boolean {
  return (
    error instanceof ServerUnavailable ||
    error instanceof LedgerUnreachable ||
    error instanceof LedgerTooNew ||
    error instanceof StoreUnwritable ||
    isDiskTrouble(error)
  );
}

/** Runs what comes before any paid request; rethrows trouble of this machine as a {@link VoxbatchError} (`machine`). */
export async function beforeWork<T>(prepare: () => T | Promise<T>): Promise<T> {
  try {
    return await prepare();
  } catch (cause) {
    throw isMachineTrouble(cause) ? new VoxbatchError({ type: 'machine', cause }) : cause;
  }
}
