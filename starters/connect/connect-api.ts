import { Session, type SessionRequest } from '../../client/session.ts';
import type { ApiAccess, Settings } from '../../client/settings.ts';
import { rememberAddress } from '../../client/trust/folder-config.ts';
import type { Flags } from '../commands/flags.ts';
import { AddressUnconfirmed, readApiAccess, readSettings, type CommandSettings } from './settings.ts';
import { askYesNo, mayAsk } from '../terminal/ask.ts';
import type { OpenedLedger } from '../trust/confirm.ts';
import { unconfirmedError } from '../trust/confirmable-words.ts';

/** Flags for the API's URL. With `--yes` the user is not asked, and an unconfirmed URL stays unconfirmed. */
type ApiFlags = Pick<Flags, 'apiUrl' | 'yes'>;

/**
 * Returns the API's URL and token. A URL that only a config file names must be confirmed before the token is sent
 * there: asks on a terminal, once per token and origin, and throws elsewhere.
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
    rememberAddress(settings.env, use);
    return use;
  }
}

/**
 * Runs `work` with a session on the existing records, and closes it. Creates nothing: a missing ledger is an error that
 * suggests the next command. `admit`: see {@link SessionRequest}.
 */
export async function withSession<T>(
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

/** How a session opens the ledger, and what it does while it waits; see {@link SessionRequest}. */
type SessionOptions = SessionRequest['ledger'] & Pick<SessionRequest, 'admit' | 'waiting'>;

/** Returns a session with the API of these settings and flags. The caller closes it. */
export function openSession(
  settings: Settings,
  flags: ApiFlags,
  { admit, waiting, ...ledger }: SessionOptions,
): Session {
  return new Session({ settings, access: () => confirmedAccess(settings, flags), ledger, admit, waiting });
}
