import { rememberLedger, standingOfLedger } from '../../client/trust/known-ledgers.ts';
import type { Settings } from '../../client/settings.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import { askYesNo } from '../terminal/ask.ts';
import type { Output } from '../terminal/output.ts';
import { COPY_LINE, ledgerLines, whyNotConfirmable } from './ledger-lines.ts';
import { mayAsk } from './may-ask.ts';
import { visiblePath } from './member-words.ts';
import { unconfirmedError } from './unconfirmed-error.ts';

/**
 * Lets a command work with a ledger that its user has made or confirmed; on a terminal it asks about any other. Throws
 * {@link ExitError} `usage`, and `VoxbatchError` (`state-unwritable`).
 */
async function admitLedger(
  settings: Settings,
  ledger: Ledger,
  { say, yes = false }: Pick<Output, 'say'> & { readonly yes?: boolean },
): Promise<void> {
  const standing = standingOfLedger(settings, ledger);
  if (standing === 'adopted') {
    say(`${ledger.place} was made here by an earlier version. From now on it is on record as yours.`);
    return;
  }
  if (standing === 'known') return;
  if (mayAsk({ yes }) && (await whyNotConfirmable(ledger)) === undefined) {
    const lines = [
      `You have not made the ledger ${visiblePath(ledger.place)} on this machine:`,
      ...(await ledgerLines(ledger)),
      COPY_LINE,
    ];
    if (await askYesNo(`${lines.join('\n')}\nTake it as yours?`)) {
      rememberLedger(settings, ledger);
      return;
    }
  }
  throw await unconfirmedError(settings.env);
}

/** The same, for a session. */
export function admittance(
  settings: Settings,
  flags: { readonly yes?: boolean },
  { say }: Pick<Output, 'say'>,
): (ledger: Ledger) => Promise<void> {
  return (ledger) => admitLedger(settings, ledger, { say, ...flags });
}
