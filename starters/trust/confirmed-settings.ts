import { shellWord } from '../../contract/shell-word.ts';
import { rememberConfig, type UnconfirmedConfig } from '../../client/trust/folder-config.ts';
import { AddressUnconfirmed, readApiAccess, readSettings, type CommandSettings } from '../connect/settings.ts';
import { ExitError } from '../exit-error.ts';
import { askYesNo, mayAsk, type AskFlags } from '../terminal/ask.ts';
import { memberLines, visiblePath } from './member-words.ts';
import { unconfirmedError } from './confirmable-words.ts';

/** The settings of a command that works with all of the folder's config; see {@link confirmConfig}. */
export async function confirmedSettings(flags: AskFlags): Promise<CommandSettings> {
  return confirmConfig(await readSettings(), flags);
}

/**
 * The settings with all of the folder's config, once the user has confirmed what it says about commands, addresses and
 * money: on a terminal it shows that and asks. Throws {@link ExitError} `usage`.
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

/** The same where the config only says where media are kept; what else it says is not used. */
export async function confirmStore(settings: CommandSettings, flags: AskFlags): Promise<CommandSettings> {
  return settings.unconfirmed?.members.store === undefined ? settings : confirmConfig(settings, flags);
}

/** Whether a command that spends would first ask for a confirmation of the folder's config, or of the API's address in it. */
export function isUnconfirmed(settings: CommandSettings, flags: { readonly apiUrl?: string }): boolean {
  if (settings.unconfirmed !== undefined) return true;
  try {
    readApiAccess(settings, flags);
    return false;
  } catch (error) {
    // What else is wrong with it has words of its own.
    return error instanceof AddressUnconfirmed;
  }
}

/** Remembers a yes. Throws {@link ExitError} `usage` if that cannot be written. */
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
