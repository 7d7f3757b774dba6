import { isStranger } from '../../client/trust/known-ledgers.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import { AddressUnconfirmed, readApiAccess, type CommandSettings } from '../connect/settings.ts';

/** Whether a command that spends would first ask for a confirmation of the folder's config, of the API's address in it, or of its ledger. */
export function isUnconfirmed(
  settings: CommandSettings,
  flags: { readonly apiUrl?: string },
  ledger: Ledger | undefined,
): boolean {
  if (settings.unconfirmed !== undefined || (ledger !== undefined && isStranger(settings, ledger))) return true;
  try {
    readApiAccess(settings, flags);
    return false;
  } catch (error) {
    // What else is wrong with it has words of its own.
    return error instanceof AddressUnconfirmed;
  }
}
