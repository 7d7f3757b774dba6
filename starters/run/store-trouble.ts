import { requireStore } from '../../client/claim-store.ts';
import { VoxbatchError } from '../../client/problem.ts';
import type { Settings } from '../../client/settings.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import { exitErrorOf } from '../exit-of-problem.ts';
import { ExitError } from '../exit-error.ts';

/**
 * Why `run` would refuse to work with this store, with what to do; undefined: it would not. Where the ledger was deleted, the store says so, and
 * nothing else would: all is priced as if nothing had ever been paid. `ledger`: undefined if there is none yet.
 */
export async function storeTrouble(
  settings: Pick<Settings, 'store' | 'ledger'>,
  ledger: Ledger | undefined,
): Promise<string | undefined> {
  const none = { id: '', place: settings.ledger, findStoredFile: () => Promise.resolve(undefined) };
  try {
    await requireStore(settings, ledger ?? none);
    return undefined;
  } catch (thrown) {
    const error = exitErrorOf(thrown);
    // A disk that cannot be read is met by whoever needs it.
    if (thrown instanceof VoxbatchError && error instanceof ExitError)
      return error.exit === 'usage' ? error.message : undefined;
    throw thrown;
  }
}
