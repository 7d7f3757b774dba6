import { messageOf } from '../../contract/message-of.ts';
import type { RunContext } from '../terminal/output.ts';
import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { confirmablesIn, forget, remember, type Confirmable } from '../../client/trust/confirmables.ts';
import { CONFIG_FILE } from '../../client/trust/folder-config.ts';
import { stateFolder } from '../../client/trust/state-files.ts';
import type { Flags } from '../commands/flags.ts';
import type { ExitName } from '../../contract/exit-codes.ts';
import { findToken } from '../connect/api-token.ts';
import { ExitError, unchangedError } from '../exit-error.ts';
import { ownEnvironment } from '../own-environment.ts';
import { askYesNo } from '../terminal/ask.ts';
import { confirmableLines, flawOf, variableFor } from './confirmable-words.ts';

/**
 * `voxbatch trust [FOLDER]`: confirms the commands, addresses and money settings of a folder's config, and its ledger,
 * for this user on this machine. Shows all of it first and asks on a terminal; elsewhere the command is the
 * confirmation.
 */
export async function trust(
  folder = '.',
  { remove = false }: Flags,
  { output }: RunContext,
  ask: (question: string) => Promise<boolean> = askYesNo,
): Promise<ExitName> {
  const env = ownEnvironment();
  const found = existsSync(folder) ? await confirmablesIn(folder, env, findToken) : [];
  if (found.length === 0) {
    throw unchangedError(
      `There is nothing to confirm in ${resolve(folder)}: no ledger (.voxbatch/ledger.db), and no ${CONFIG_FILE} that runs commands, names addresses or says what is risked.`,
    );
  }
  for (const line of found.flatMap(confirmableLines)) output.data(line);
  if (remove) {
    for (const confirmable of found) forget(confirmable, env);
    output.say('This is no longer confirmed. Nothing was spent.');
    return 'complete';
  }
  const [flaw] = found.flatMap((confirmable) => flawOf(confirmable) ?? []);
  if (flaw !== undefined) throw unchangedError(`${flaw} Nothing was confirmed.`);
  if (output.isInteractive && !(await ask('Confirm all of this, for yourself on this machine?'))) {
    throw new ExitError('refused', 'Nothing was confirmed. Nothing was spent.');
  }
  rememberAll(found, env);
  output.say('You have confirmed this for yourself on this machine. To take it back: voxbatch trust --remove');
  return 'complete';
}

/** Records all confirmations. Throws {@link ExitError} `usage` if they cannot be written. */
function rememberAll(found: readonly Confirmable[], env: NodeJS.ProcessEnv): void {
  try {
    for (const confirmable of found) remember(confirmable, env);
  } catch (cause) {
    const names = found.map(variableFor).join(' ');
    throw new ExitError(
      'usage',
      `${stateFolder(env)} cannot be written, so nothing was confirmed: ${messageOf(cause)} Nothing was spent. ` +
        `Make it writable, or name what is yours yourself: export ${names}`,
      { cause },
    );
  }
}
