import { existsSync, realpathSync } from 'node:fs';
import { join } from 'node:path';
import { readBaseUrl } from '../../api/base-url.ts';
import { openRecordsIfAny } from '../../client/open-records.ts';
import { forgetConfig, isConfigConfirmed, rememberConfig } from '../../client/trust/confirmed-configs.ts';
import { forgetLedger, rememberLedger, standingOfLedger } from '../../client/trust/known-ledgers.ts';
import { defined } from '../../contract/defined.ts';
import { shellWord } from '../../contract/shell-word.ts';
import { ownerOf, whyAnothers } from '../../embedded/private-home.ts';
import { membersToConfirm } from '../../inputs/confirmed-members.ts';
import { findToken } from '../connect/api-token.ts';
import { forgetConfirmed, isConfirmed, rememberConfirmed } from '../connect/confirmed-address.ts';
import { CONFIG_FILE, readConfigFile } from '../connect/settings.ts';
import { COPY_LINE, ledgerLines, whyNotConfirmable } from './ledger-lines.ts';
import { memberLines, visible, visiblePath } from './member-words.ts';

/** A thing of a folder that can be confirmed. */
export interface Confirmable {
  /** What it is, for people. */
  readonly lines: readonly string[];
  /** True if it has been confirmed as it is now. */
  readonly isConfirmed: boolean;
  /** Why it cannot be confirmed, as a sentence. */
  readonly flaw?: string;
  /** The setting by which its user names it, so that it needs no confirmation: for a shell. */
  readonly byName: string;
  readonly remember: () => void;
  readonly forget: () => void;
}

/** All that `voxbatch trust` confirms in an existing folder. Throws {@link ExitError} `usage` for a config that cannot be read. */
export async function confirmablesIn(folder: string, env: NodeJS.ProcessEnv): Promise<readonly Confirmable[]> {
  const place = realpathSync(folder);
  return [...(await configIn(place, env)), ...(await ledgerIn(place, env))];
}

async function configIn(folder: string, env: NodeJS.ProcessEnv): Promise<readonly Confirmable[]> {
  const path = join(folder, CONFIG_FILE);
  if (!existsSync(path)) return [];
  const config = await readConfigFile(path);
  const members = membersToConfirm(config);
  const risky: Confirmable = {
    lines: [visiblePath(path), ...memberLines(members).map((line) => `  ${line}`)],
    isConfirmed: isConfigConfirmed(env, { path, members }),
    byName: `VOXBATCH_CONFIG=${shellWord(path)}`,
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
  const shown = `${visiblePath(path)}: api.url: ${visible(url)}`;
  const byName = `VOXBATCH_API_URL=${shellWord(url)}`;
  if (token === undefined) {
    const nothing = (): void => undefined;
    const lines = [`${shown}: not confirmed, for no token is set. Set VOXBATCH_API_TOKEN, then run this again.`];
    return { lines, isConfirmed: false, byName, remember: nothing, forget: nothing };
  }
  const use = { baseUrl: readBaseUrl(url).baseUrl, token };
  return {
    lines: [`${shown}, with the token that is set now`],
    isConfirmed: isConfirmed(env, use),
    byName,
    remember: () => {
      rememberConfirmed(env, use);
    },
    forget: () => {
      forgetConfirmed(env, use);
    },
  };
}

async function ledgerIn(folder: string, env: NodeJS.ProcessEnv): Promise<readonly Confirmable[]> {
  const home = join(folder, '.voxbatch');
  const settings = { ledger: join(home, 'ledger.db'), isLedgerNamed: false, env };
  const ledger = await openRecordsIfAny(settings);
  if (ledger === undefined) return [];
  try {
    const isConfirmed = standingOfLedger(settings, ledger) !== 'unknown';
    const flaw = whyAnothers(home)?.message ?? (isConfirmed ? undefined : await whyNotConfirmable(ledger));
    return [
      {
        lines: [
          visiblePath(ledger.place),
          ...ownerLine(home),
          ...(await ledgerLines(ledger)),
          ...(isConfirmed ? [] : [COPY_LINE]),
        ],
        isConfirmed,
        ...defined({ flaw }),
        byName: `VOXBATCH_HOME=${shellWord(home)}`,
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

/** Whose a home is, where it is not this user's: root may work there, and what its owner adds later runs as root. */
function ownerLine(home: string): readonly string[] {
  const uid = ownerOf(home);
  return uid === process.geteuid?.()
    ? []
    : [`  owner: another user (uid ${String(uid)}), who can change it at any time, and what it runs as you`];
}
