import { ServerUnavailable } from '../embedded/server-unavailable.ts';
import { LedgerTooNew, LedgerUnreachable } from '../ledger/errors.ts';
import { StoreUnwritable } from '../store/errors.ts';
import { ExitError } from './exit-error.ts';

/** Codes of system calls that say: the disk is full, read-only, out of reach or broken. */
const DISK_CODES = new Set(['ENOSPC', 'EDQUOT', 'EFBIG', 'EROFS', 'EIO', 'EMFILE', 'ENFILE']);

/**
 * What to say of an error that is about this machine rather than about us: its disk, the ledger, the store, the Temporal
 * server. Undefined for every other error.
 */
export function describeTrouble(error: unknown): string | undefined {
  if (error instanceof ServerUnavailable) return `${error.message} ${error.advice}`;
  if (error instanceof LedgerUnreachable || error instanceof LedgerTooNew || error instanceof StoreUnwritable) {
    return error.message;
  }
  const { code } = (error ?? {}) as { readonly code?: unknown };
  if (error instanceof Error && typeof code === 'string' && DISK_CODES.has(code)) {
    return `Cannot write to disk: ${error.message}. Free some space, or choose another folder with VOXBATCH_HOME or --out, then run the same command again.`;
  }
  return undefined;
}

/** Does what comes before any paid request; trouble of this machine ends the command with a message that says so. */
export async function beforeWork<T>(prepare: () => Promise<T>): Promise<T> {
  try {
    return await prepare();
  } catch (error) {
    const trouble = describeTrouble(error);
    if (trouble === undefined) throw error;
    throw new ExitError('unreachable', `${trouble} Nothing was spent by this command.`, { cause: error });
  }
}
