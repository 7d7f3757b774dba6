import { parseResultMember } from '../../contract/result-member.ts';
import { existsSync, realpathSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { type ClientConfigProfile, loadClientConfigProfile } from '@temporalio/envconfig';
import { readBaseUrl } from '../../api/base-url.ts';
import { homeOf } from '../../embedded/home.ts';
import { API_PATH } from '../../contract/api-path.ts';
import { membersToConfirm, withoutConfirmed } from '../../inputs/confirmed-members.ts';
import { defined } from '../../contract/defined.ts';
import { shellWord } from '../../contract/shell-word.ts';
import { isConfigConfirmed, type RiskyConfig } from '../../client/trust/confirmed-configs.ts';
import { readConfig, type Config } from '../../inputs/config-file.ts';
import { placesIn, type ApiAccess, type RefusedAddress, type Settings } from '../../client/settings.ts';
import { readToken } from './api-token.ts';
import { isConfirmed, type AddressUse } from './confirmed-address.ts';
import { messageOf } from '../../client/problem.ts';
import { ownEnvironment } from '../own-environment.ts';
import { ExitError } from '../exit-error.ts';

/** In the working folder. */
export const CONFIG_FILE = 'voxbatch.config.json';

/** Members of a config that nobody has confirmed, and the config with them. */
export interface UnconfirmedConfig extends RiskyConfig {
  readonly whole: Config;
}

/**
 * Reads settings: the environment over `voxbatch.config.json`. `VOXBATCH_HOME` is the home, by default `.voxbatch`;
 * ledger and store are in it unless `VOXBATCH_LEDGER` and `VOXBATCH_STORE` (or `store` in the config file) name other
 * places; any of the standard Temporal settings means a cluster.
 */
export async function readSettings(env: NodeJS.ProcessEnv = ownEnvironment()): Promise<CommandSettings> {
  const home = homeOf(env, '.');
  const whole = await readConfigOf(env);
  const unconfirmed = unconfirmedIn(whole, env);
  const config = unconfirmed === undefined ? whole : withoutConfirmed(whole);
  // To look at what is on record takes the right store, and no confirmation.
  const given = { ledger: env['VOXBATCH_LEDGER'], store: env['VOXBATCH_STORE'] ?? whole.store };
  return {
    ...placesIn(home, given, (refused) => refuseAddress(env, refused)),
    isLedgerNamed: (env['VOXBATCH_HOME'] ?? '') !== '' || (env['VOXBATCH_LEDGER'] ?? '') !== '',
    config,
    cluster: readCluster(env),
    env,
    ...defined({ unconfirmed }),
  };
}

/** Settings of a command. */
export interface CommandSettings extends Settings {
  /** What a config file says that nobody has confirmed, so that `config` lacks it; see `starters/trust/`. */
  readonly unconfirmed?: UnconfirmedConfig;
}

/** What the folder's config says that its user has not confirmed. A file that the user named is their own word. */
function unconfirmedIn(whole: Config, env: NodeJS.ProcessEnv): UnconfirmedConfig | undefined {
  const members = membersToConfirm(whole);
  if (env['VOXBATCH_CONFIG'] !== undefined || Object.keys(members).length === 0) return undefined;
  // The file's own name may be a link to one that its user has confirmed elsewhere, where ./publish.sh is another.
  const risky = { path: join(realpathSync('.'), CONFIG_FILE), members };
  return isConfigConfirmed(env, risky) ? undefined : { ...risky, whole };
}

/** The config file of the folder, or the one that `VOXBATCH_CONFIG` names; only the latter must exist. */
async function readConfigOf(env: NodeJS.ProcessEnv): Promise<Config> {
  const named = env['VOXBATCH_CONFIG'];
  if (named !== undefined && !existsSync(named)) {
    throw new ExitError('usage', `VOXBATCH_CONFIG: expected a config file, but there is no ${named}. ${UNTOUCHED}`);
  }
  if (named === undefined) return readConfigFile(resolve(CONFIG_FILE));
  // What the user names may be a pipe, such as that of `<(…)`; one that lies in a folder would hang.
  return readConfigFile(resolve(named), (path) => readFile(path, 'utf8'));
}

/** A config file; an empty config if there is none. Throws {@link ExitError} `usage`. */
export function readConfigFile(path: string, read?: (path: string) => Promise<string>): Promise<Config> {
  return readConfig(path, read).catch((error: unknown) => {
    const words = messageOf(error).trimEnd();
    const advice = 'Fix the file, then run the same command again. Nothing was spent.';
    throw new ExitError('usage', `${words}${words.includes('\n') ? '\n' : ' '}${advice}`, { cause: error });
  });
}

/** An impossible address is a wrong setting, not an unreachable ledger or store. */
function refuseAddress(env: NodeJS.ProcessEnv, { of, expected, came }: RefusedAddress): never {
  const variable = `VOXBATCH_${of.toUpperCase()}`;
  const where = env[variable] === undefined ? `"${of}" in voxbatch.config.json` : variable;
  throw new ExitError(
    'usage',
    `${where}: expected ${expected}, got ${came}. Remove it to use the ${of} in the home folder. ${UNTOUCHED}`,
  );
}

const UNTOUCHED = 'Nothing was recorded. Nothing was spent.';

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

/** The token would go to an address that only a config file names, and nobody has allowed that. */
export class AddressUnconfirmed extends ExitError {
  readonly use: AddressUse;

  constructor(use: AddressUse) {
    super(
      'usage',
      `Only a config file names the API at ${use.baseUrl}, and your token was never used there. If the address is right, run: ` +
        `export VOXBATCH_API_URL=${shellWord(use.baseUrl)} (or confirm it once: voxbatch trust).`,
    );
    this.use = use;
  }
}

/**
 * The API's address and token, or an error that says how to set them. Throws {@link AddressUnconfirmed} for an address
 * of a config file that nobody has confirmed.
 */
export function readApiAccess(settings: Settings, flags: { readonly apiUrl?: string }): ApiAccess {
  const url = givenApiUrl(settings, flags);
  if (url === undefined) {
    throw new ExitError(
      'api',
      `No API is configured. Set VOXBATCH_API_URL (it ends in ${API_PATH}) and VOXBATCH_API_TOKEN, or use the simulator: ` +
        'voxbatch simulate --port 8080. Nothing was spent.',
    );
  }
  const token = readToken(settings);
  const resultMembers = parseResultMember(settings.config.resultMember);
  const access = { baseUrl: baseUrlOf(url), token, ...defined({ resultMembers }) };
  const isOwnWord = flags.apiUrl !== undefined || (settings.env['VOXBATCH_API_URL'] ?? '') !== '';
  if (!isOwnWord && !isConfirmed(settings.env, access)) throw new AddressUnconfirmed(access);
  return access;
}

/** The API's address, which alone allows nothing to be sent; undefined: none is configured. Throws as {@link readApiAccess} does. */
export function readApiUrl(settings: Settings, flags: { readonly apiUrl?: string }): string | undefined {
  const url = givenApiUrl(settings, flags);
  return url === undefined ? undefined : baseUrlOf(url);
}

function givenApiUrl({ env, config }: Settings, { apiUrl }: { readonly apiUrl?: string }): string | undefined {
  return (apiUrl ?? env['VOXBATCH_API_URL'] ?? config.api?.url) || undefined;
}

function baseUrlOf(url: string): string {
  try {
    return readBaseUrl(url).baseUrl;
  } catch (error) {
    throw new ExitError('api', `${messageOf(error)} Nothing was spent.`, { cause: error });
  }
}
