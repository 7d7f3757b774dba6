import { shellWord } from '../../contract/shell-word.ts';
import { rememberConfig, type UnconfirmedConfig } from '../../client/trust/folder-config.ts';
import type { ServeMediaSettings } from '../../contract/serve-media.ts';
import { withServeMedia } from '../commands/read-serve-media-flags.ts';
import { readSettings, type CommandSettings } from '../connect/settings.ts';
import { ExitError } from '../exit-error.ts';
import { askYesNo, mayAsk, type AskFlags } from '../terminal/ask.ts';
import { memberLines, visiblePath } from './member-words.ts';
import { unconfirmedError, COPY_LINE, ledgerLines, differenceWords } from './confirmable-words.ts';
import type { SessionRequest } from '../../client/session.ts';
import { rememberLedger, trustLedger } from '../../client/trust/known-ledgers.ts';
import { requireWritable } from '../../client/machine-faults.ts';
import { readContents } from '../../client/trust/confirmables.ts';
import type { Settings } from '../../client/settings.ts';
import type { Output } from '../terminal/output.ts';

/**
 * What a folder contains may come from somebody else. Its config and its ledger may run commands, name addresses and
 * spend money only after the user has confirmed them, once per machine. Paths that the user names are trusted as they
 * are.
 */

/** Returns the settings with all of the folder's config, confirmed by {@link confirmConfig}. */
export async function confirmedSettings(flags: AskFlags & ServeMediaSettings): Promise<CommandSettings> {
  return withServeMedia(await confirmConfig(await readSettings(), flags), flags);
}

/**
 * Returns the settings with all of the folder's config. If the user has not confirmed its commands, addresses and money
 * settings, shows them on a terminal and asks; throws {@link ExitError} `usage` elsewhere, or for no.
 */
export async function confirmConfig(settings: CommandSettings, flags: AskFlags): Promise<CommandSettings> {
  const { unconfirmed, ...rest } = settings;
  if (unconfirmed === undefined) return settings;
  const lines = [
    `${visiblePath(unconfirmed.path)} says what you have not confirmed yet; it may have come with the folder:`,
    ...memberLines(unconfirmed.members).map((line) => `  ${line}`),
  ].join('\n');
  if (!mayAsk(flags) || !(await askYesNo(`${lines}\nUse it?`))) throw await unconfirmedError(settings.env);
  rememberOrRefuse(settings.env, unconfirmed);
  return { ...rest, config: unconfirmed.whole };
}

/** As {@link confirmConfig}, for commands that use only the store of the config: asks only if the config names one. */
export async function confirmStore(settings: CommandSettings, flags: AskFlags): Promise<CommandSettings> {
  return settings.unconfirmed?.members.store === undefined ? settings : confirmConfig(settings, flags);
}

/** As {@link confirmConfig}, for workers, which use only the store and the serving of local media. */
export async function confirmServing(settings: CommandSettings, flags: AskFlags): Promise<CommandSettings> {
  const { store, serveMedia, serveMediaUrl } = settings.unconfirmed?.members ?? {};
  return (store ?? serveMedia ?? serveMediaUrl) === undefined ? settings : confirmConfig(settings, flags);
}

/** Records the confirmation. Throws {@link ExitError} `usage` if it cannot be written. */
function rememberOrRefuse(env: NodeJS.ProcessEnv, config: UnconfirmedConfig): void {
  try {
    rememberConfig(env, config);
  } catch (cause) {
    throw new ExitError(
      'usage',
      `It cannot be recorded that you confirmed ${config.path}: ${String(cause)}. Nothing was spent. ` +
        `Make your state folder writable (XDG_STATE_HOME), or name the file: export VOXBATCH_CONFIG=${shellWord(config.path)}`,
      { cause },
    );
  }
}

/**
 * Resolves if the user has made or confirmed the ledger; asks on a terminal about any other, and records a yes. Throws
 * {@link ExitError} `usage` for no, and `VoxbatchError` (`state-unwritable`).
 */
async function admitLedger(
  settings: Settings,
  ledger: OpenedLedger,
  { say, yes = false }: Pick<Output, 'say'> & { readonly yes?: boolean },
): Promise<void> {
  requireWritable(ledger);
  const trust = trustLedger(settings, ledger);
  if (trust === 'adopted') {
    say(`${ledger.place} was made here by an earlier version. From now on it is on record as yours.`);
    return;
  }
  if (trust === 'known') return;
  const contents = mayAsk({ yes }) ? await readContents(ledger) : undefined;
  if (contents !== undefined && differenceWords(contents) === undefined) {
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

/** A ledger that was opened and is not used yet. */
export type OpenedLedger = Parameters<NonNullable<SessionRequest['admit']>>[0];

/** Returns {@link admitLedger} for these settings and flags, as the `admit` of a session. */
export function admittance(
  settings: Settings,
  flags: { readonly yes?: boolean },
  { say }: Pick<Output, 'say'>,
): (ledger: OpenedLedger) => Promise<void> {
  return (ledger) => admitLedger(settings, ledger, { say, ...flags });
}
