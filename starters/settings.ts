import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { type ClientConfigProfile, loadClientConfigProfile } from '@temporalio/envconfig';
import { urlSchemeOf } from '../contract/url-scheme.ts';
import { readBaseUrl } from '../api/base-url.ts';
import { readConfig, type Config } from '../inputs/schema.ts';
import type { ApiAccess, Settings } from '../client/settings.ts';
import { readToken } from './api-token.ts';
import { isConfirmed, type AddressUse } from './confirmed-address.ts';
import { messageOf } from '../client/problem.ts';
import { ExitError } from './exit-error.ts';
import { shellWord } from './go-on-command.ts';

/**
 * What was set from outside: the environment over `voxbatch.config.json`. `VOXBATCH_HOME` is the home, by default `.voxbatch`; ledger and
 * store lie in it unless `VOXBATCH_LEDGER` and `VOXBATCH_STORE` (or `store` in the config file) name other places; any of the standard
 * Temporal settings means a cluster.
 */
export async function readSettings(env: NodeJS.ProcessEnv = process.env): Promise<Settings> {
  const home = resolve(env['VOXBATCH_HOME'] ?? '.voxbatch');
  const config = await readConfigOf(env);
  return {
    home,
    config,
    ledger: readLedgerPlace(env) ?? resolve(home, 'ledger.db'),
    store: resolve(readStorePlace(env, config) ?? resolve(home, 'store')),
    cluster: readCluster(env),
    env,
  };
}

/** The config file of the folder, or the one that `VOXBATCH_CONFIG` names; only the latter must be there. */
async function readConfigOf(env: NodeJS.ProcessEnv): Promise<Config> {
  const named = env['VOXBATCH_CONFIG'];
  if (named !== undefined && !existsSync(named)) {
    throw new ExitError('usage', `VOXBATCH_CONFIG: expected a config file, but there is no ${named}. ${UNTOUCHED}`);
  }
  return readConfig(resolve(named ?? 'voxbatch.config.json')).catch((error: unknown) => {
    const words = messageOf(error).trimEnd();
    const advice = 'Fix the file, then run the same command again. Nothing was spent.';
    throw new ExitError('usage', `${words}${words.includes('\n') ? '\n' : ' '}${advice}`, { cause: error });
  });
}

/** The ledger's place as it was set. A database that is not delivered yet is a wrong setting, not one that cannot be reached. */
function readLedgerPlace(env: NodeJS.ProcessEnv): string | undefined {
  const place = env['VOXBATCH_LEDGER'];
  const scheme = urlSchemeOf(place)?.toLowerCase();
  if (scheme === undefined || scheme === 'file' || scheme === 'sqlite') return place;
  const why = scheme.startsWith('postgres') ? 'PostgreSQL is not supported yet; expected' : 'expected';
  throw new ExitError(
    'usage',
    `VOXBATCH_LEDGER: ${why} the path of a database file, got a ${scheme}: URL. Unset it to use ledger.db in the home folder. ${UNTOUCHED}`,
  );
}

/** The store's place as it was set. A URL would become a local folder of that name. */
function readStorePlace(env: NodeJS.ProcessEnv, config: Config): string | undefined {
  const place = env['VOXBATCH_STORE'] ?? config.store;
  const scheme = /^([a-z][a-z0-9+.-]*):\/\//i.exec(place ?? '')?.[1]?.toLowerCase();
  if (scheme === undefined) return place;
  const where = env['VOXBATCH_STORE'] === undefined ? '"store" in voxbatch.config.json' : 'VOXBATCH_STORE';
  const why = scheme === 's3' ? 'S3 is not supported yet; expected' : 'expected';
  throw new ExitError(
    'usage',
    `${where}: ${why} the path of a folder, got a ${scheme}: URL. Remove it to use store in the home folder. ${UNTOUCHED}`,
  );
}

// Of a URL only its scheme is said: the rest may hold a password.
const UNTOUCHED = 'Nothing was recorded, nothing was spent.';

/** Any of the standard settings (address, API key, TLS, a profile file) means a cluster. */
function readCluster(env: NodeJS.ProcessEnv): ClientConfigProfile | undefined {
  try {
    const profile = loadClientConfigProfile({ overrideEnvVars: definedOnly(env) });
    const isSet = profile.address !== undefined || profile.apiKey !== undefined || profile.tls !== undefined;
    return isSet ? profile : undefined;
  } catch (error) {
    throw new ExitError('unreachable', `The Temporal settings cannot be read: ${messageOf(error)}`, { cause: error });
  }
}

function definedOnly(env: NodeJS.ProcessEnv): Record<string, string> {
  return Object.fromEntries(
    Object.entries(env).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
  );
}

/** The token would go to an address that only a config file names, and nobody has said that it may. */
export class AddressUnconfirmed extends ExitError {
  readonly use: AddressUse;

  constructor(use: AddressUse) {
    super(
      'usage',
      `Only a config file names the API at ${use.baseUrl}, and your token was never used there. If the address is right, run: ` +
        `export VOXBATCH_API_URL=${shellWord(use.baseUrl)} (or confirm it once on a terminal, with a command such as "voxbatch profile"). ` +
        'Nothing was sent, nothing was spent.',
    );
    this.use = use;
  }
}

/**
 * The API's address and token, or the message that tells how to set them. Throws {@link AddressUnconfirmed} for an address of a config
 * file that nobody has confirmed.
 */
export function readApiAccess(settings: Settings, flags: { readonly apiUrl?: string }): ApiAccess {
  const url = flags.apiUrl ?? settings.env['VOXBATCH_API_URL'] ?? settings.config.api?.url;
  if (url === undefined || url === '') {
    throw new ExitError(
      'api',
      'No API is configured. Set VOXBATCH_API_URL (it ends in /api/open/v1) and VOXBATCH_API_TOKEN, or use the simulator: ' +
        'voxbatch simulate --port 8080. Nothing was spent.',
    );
  }
  const token = readToken(settings);
  const access = { baseUrl: baseUrlOf(url), token };
  const isOwnWord = flags.apiUrl !== undefined || (settings.env['VOXBATCH_API_URL'] ?? '') !== '';
  if (!isOwnWord && !isConfirmed(settings.env, access)) throw new AddressUnconfirmed(access);
  return access;
}

function baseUrlOf(url: string): string {
  try {
    return readBaseUrl(url).baseUrl;
  } catch (error) {
    throw new ExitError('api', `${messageOf(error)} Nothing was spent.`, { cause: error });
  }
}
