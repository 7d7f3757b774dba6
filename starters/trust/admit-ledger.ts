import type { SessionRequest } from '../../client/session.ts';
import { rememberLedger, standingOfLedger } from '../../client/trust/known-ledgers.ts';
import { readContents } from '../../client/trust/confirmables.ts';
import type { Settings } from '../../client/settings.ts';
import { askYesNo, mayAsk } from '../terminal/ask.ts';
import type { Output } from '../terminal/output.ts';
import { COPY_LINE, ledgerLines, strangeWords, unconfirmedError } from './confirmable-words.ts';
import { visiblePath } from './member-words.ts';

/**
 * Lets a command work with a ledger that its user has made or confirmed; on a terminal it asks about any other. Throws
 * {@link ExitError} `usage`, and `VoxbatchError` (`state-unwritable`).
 */
async function admitLedger(
  settings: Settings,
  ledger: OpenedLedger,
  { say, yes = false }: Pick<Output, 'say'> & { readonly yes?: boolean },
): Promise<void> {
  const standing = standingOfLedger(settings, ledger);
  if (standing === 'adopted') {
    say(`${ledger.place} was made here by an earlier version. From now on it is on record as yours.`);
    return;
  }
  if (standing === 'known') return;
  const contents = mayAsk({ yes }) ? await readContents(ledger) : undefined;
  if (contents !== undefined && strangeWords(contents) === undefined) {
    const lines = [
      `You have not made the ledger ${visiblePath(ledger.place)} on this machine:`,
      ...ledgerLines(contents),
      COPY_LINE,
    ];
    if (await askYesNo(`${lines.join('\n')}\nTake it as yours?`)) {
      rememberLedger(settings, ledger);
      return;
    }
  }
  throw await unconfirmedError(settings.env);
}

/** A ledger that was opened, before anybody works with it. */
export type OpenedLedger = Parameters<NonNullable<SessionRequest['admit']>>[0];

/** The same, for a session. */
export function admittance(
  settings: Settings,
  flags: { readonly yes?: boolean },
  { say }: Pick<Output, 'say'>,
): (ledger: OpenedLedger) => Promise<void> {
  return (ledger) => admitLedger(settings, ledger, { say, ...flags });
}
