import { existsSync, realpathSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { readBaseUrl } from '../../api/base-url.ts';
import { openRecordsIfAny } from '../../client/open-records.ts';
import { forgetConfig, rememberConfig } from '../../client/trust/confirmed-configs.ts';
import { forgetLedger, rememberLedger } from '../../client/trust/known-ledgers.ts';
import { stateFolder } from '../../client/trust/state-files.ts';
import { messageOf } from '../../client/problem.ts';
import type { ExitName } from '../../contract/exit-codes.ts';
import { membersToConfirm } from '../../inputs/confirmed-members.ts';
import { findToken } from '../connect/api-token.ts';
import { forgetConfirmed, rememberConfirmed } from '../connect/confirmed-address.ts';
import { CONFIG_FILE, readConfigFile } from '../connect/settings.ts';
import { ExitError, unchangedError } from '../exit-error.ts';
import { ownEnvironment } from '../own-environment.ts';
import type { Output } from '../terminal/output.ts';
import { ledgerLines } from './admit-ledger.ts';
import { memberLines, visible } from './member-words.ts';

export interface TrustFlags {
  /** Take back what was confirmed. */
  readonly remove?: boolean;
}

/** A thing of a folder that can be confirmed. */
interface Confirmable {
  /** What it is, for people. */
  readonly lines: readonly string[];
  readonly remember: () => void;
  readonly forget: () => void;
}

/**
 * `voxbatch trust [FOLDER]`: confirms what the folder's config says about commands, addresses and money, and its ledger,
 * for this user on this machine, and shows both. The command is the confirmation: it asks nobody.
 */
export async function trust(folder: string, { remove = false }: TrustFlags, output: Output): Promise<ExitName> {
  const env = ownEnvironment();
  const found = [...(await configIn(folder, env)), ...(await ledgerIn(folder, env))];
  if (found.length === 0) {
    throw unchangedError(
      `There is nothing to confirm in ${resolve(folder)}: no ledger (.voxbatch/ledger.db), and no ${CONFIG_FILE} that runs commands, names addresses or says what is risked.`,
    );
  }
  for (const { lines, remember, forget } of found) {
    if (remove) forget();
    else orRefuse(env, remember);
    for (const line of lines) output.data(line);
  }
  output.say(
    remove
      ? 'This is no longer confirmed. Nothing was spent.'
      : 'You have confirmed this for yourself on this machine. To take it back: voxbatch trust --remove',
  );
  return 'complete';
}

async function configIn(folder: string, env: NodeJS.ProcessEnv): Promise<readonly Confirmable[]> {
  const file = resolve(folder, CONFIG_FILE);
  if (!existsSync(file)) return [];
  const path = realpathSync(file);
  const config = await readConfigFile(file);
  const members = membersToConfirm(config);
  const risky: Confirmable = {
    lines: [path, ...memberLines(members).map((line) => `  ${line}`)],
    remember: () => {
      rememberConfig(env, { path, members });
    },
    forget: () => {
      forgetConfig(env, path);
    },
  };
  return [
    ...(Object.keys(members).length === 0 ? [] : [risky]),
    ...(config.api?.url === undefined ? [] : [addressIn(path, config.api.url, env)]),
  ];
}

/** The address of the API, which is confirmed for the token that is set now. */
function addressIn(path: string, url: string, env: NodeJS.ProcessEnv): Confirmable {
  const token = findToken(env);
  const shown = `${path}: api.url: ${visible(url)}`;
  if (token === undefined) {
    const nothing = (): void => undefined;
    const lines = [`${shown}: not confirmed, for no token is set. Set VOXBATCH_API_TOKEN, then run this again.`];
    return { lines, remember: nothing, forget: nothing };
  }
  const use = { baseUrl: readBaseUrl(url).baseUrl, token };
  return {
    lines: [`${shown}, with the token that is set now`],
    remember: () => {
      rememberConfirmed(env, use);
    },
    forget: () => {
      forgetConfirmed(env, use);
    },
  };
}

async function ledgerIn(folder: string, env: NodeJS.ProcessEnv): Promise<readonly Confirmable[]> {
  const settings = { ledger: join(resolve(folder), '.voxbatch', 'ledger.db'), isLedgerNamed: true, env };
  const ledger = await openRecordsIfAny(settings);
  if (ledger === undefined) return [];
  try {
    const lines = [ledger.place, ...(await ledgerLines(ledger))];
    return [
      {
        lines,
        remember: () => {
          rememberLedger(settings, ledger);
        },
        forget: () => {
          forgetLedger(settings);
        },
      },
    ];
  } finally {
    await ledger.close();
  }
}

function orRefuse(env: NodeJS.ProcessEnv, remember: () => void): void {
  try {
    remember();
  } catch (cause) {
    throw new ExitError(
      'usage',
      `${stateFolder(env)} cannot be written, so nothing was confirmed: ${messageOf(cause)} Nothing was spent. ` +
        'Make it writable, or name the places yourself: VOXBATCH_HOME, VOXBATCH_CONFIG.',
      { cause },
    );
  }
}
