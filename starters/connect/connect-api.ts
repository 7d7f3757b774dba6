import { Session, type SessionRequest } from '../../client/session.ts';
import type { ApiAccess, Settings } from '../../client/settings.ts';
import { rememberConfirmed } from '../../client/trust/folder-config.ts';
import type { Flags } from '../commands/flags.ts';
import { AddressUnconfirmed, readApiAccess, readSettings, type CommandSettings } from './settings.ts';
import { askYesNo, mayAsk } from '../terminal/ask.ts';
import type { OpenedLedger } from '../trust/confirm.ts';
import { unconfirmedError } from '../trust/confirmable-words.ts';

/**
 * Flags for the API's URL, and for whether a person may be asked: with `--yes` nobody is asked, but no URL is confirmed
 * either.
 */
type ApiFlags = Pick<Flags, 'apiUrl' | 'yes'>;

/**
 * Returns the API's URL and token. For a URL that only a config file names, asks on a terminal, once per token and
 * origin.
 */
export async function confirmedAccess(settings: Settings, flags: ApiFlags): Promise<ApiAccess> {
  try {
    return readApiAccess(settings, flags);
  } catch (error) {
    if (!(error instanceof AddressUnconfirmed)) throw error;
    const { use } = error;
    const { origin } = new URL(use.baseUrl);
    const isYes = mayAsk(flags) && (await askYesNo(`A config file names the API at ${origin}. Send your token there?`));
    if (!isYes) throw await unconfirmedError(settings.env, error.message);
    rememberConfirmed(settings.env, use);
    return use;
  }
}

/**
 * Runs `work` with a session on the existing records, and closes it. Creates nothing: a missing ledger is an error that
 * suggests the next command. `admit`: see {@link SessionRequest}.
 */
export async function atSession<T>(
  flags: ApiFlags,
  work: (session: Session, settings: CommandSettings) => Promise<T>,
  admit?: (ledger: OpenedLedger, settings: CommandSettings) => Promise<void>,
): Promise<T> {
  const settings = await readSettings();
  const session = openSession(settings, flags, {
    mustExist: true,
    admit: admit && ((ledger) => admit(ledger, settings)),
  });
  try {
    return await work(session, settings);
  } finally {
    await session.close();
  }
}

/** How a session is opened. */
type SessionOptions = SessionRequest['ledger'] & Pick<SessionRequest, 'admit' | 'waiting'>;

/** A session with the API of settings and flags. */
export function openSession(
  settings: Settings,
  flags: ApiFlags,
  { admit, waiting, ...ledger }: SessionOptions,
): Session {
  return new Session({ settings, access: () => confirmedAccess(settings, flags), ledger, admit, waiting });
}
