import { messageOf } from '../../contract/message-of.ts';
import { parseResultMember } from '../../contract/result-member.ts';
import { existsSync, realpathSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { type ClientConfigProfile, loadClientConfigProfile } from '@temporalio/envconfig';
import { API_PATH } from '../../contract/urls.ts';
import { defined } from '../../contract/defined.ts';
import { OWN_VARIABLES } from '../../contract/environment.ts';
import { showControls } from '../../contract/control-characters.ts';
import { shellWord } from '../../contract/shell-word.ts';
import {
  isAddressConfirmed,
  type AddressUse,
  CONFIG_FILE,
  readFolderConfig,
  readNamedConfig,
  type FolderConfig,
} from '../../client/trust/folder-config.ts';
import {
  apiAddress,
  placesIn,
  type ApiAccess,
  type RefusedAddress,
  type Settings,
  useOperations,
} from '../../client/settings.ts';
import { findPayloadKeys } from '../../client/encryption/read-payload-keys.ts';
import { readToken } from './api-token.ts';
import { ownEnvironment } from '../own-environment.ts';
import { ExitError, usageError } from '../exit-error.ts';
import { openRecords } from '../../client/open-records.ts';
import { VoxbatchError } from '../../client/problem.ts';
import { suggestName } from '../../contract/suggest-name.ts';

/**
 * What the environment, the config file and flags set for a command: its records, its cluster and the API. A wrong
 * setting is an {@link ExitError}. {@link withLedger} opens the ledger that they name.
 */

/**
 * Reads settings: the environment over `voxbatch.config.json`. `VOXBATCH_HOME` is the home, by default `.voxbatch`;
 * ledger and store are in it unless `VOXBATCH_LEDGER` and `VOXBATCH_STORE` (or `store` in the config file) name other
 * places; any of the standard Temporal settings means a cluster.
 */
export async function readSettings(env: NodeJS.ProcessEnv = ownEnvironment()): Promise<CommandSettings> {
  refuseMistyped(env);
  const { config, store, unconfirmed } = await readConfigOf(env);
  // Registered even if unconfirmed: knowing an operation sends nothing, and every command that sends has the whole
  // config confirmed first.
  useOperations(unconfirmed?.whole ?? config);
  const given = { ledger: env['VOXBATCH_LEDGER'], store: env['VOXBATCH_STORE'] ?? store };
  const operator = env['VOXBATCH_OPERATOR'] || undefined;
  return {
    ...placesIn(resolve(env['VOXBATCH_HOME'] || '.voxbatch'), given, (refused) => refuseAddress(env, refused)),
    isLedgerNamed: (env['VOXBATCH_HOME'] ?? '') !== '' || (env['VOXBATCH_LEDGER'] ?? '') !== '',
    config,
    cluster: readCluster(env),
    payloadKeys: findPayloadKeys(env),
    env,
    onImported: printImported,
    onReadOnly: printReadOnly,
    ...defined({ unconfirmed, operator: operator && (await requireOperator(operator)) }),
  };
}

async function requireOperator(name: string): Promise<string> {
  return (await import('../../client/history/by-person.ts')).requireOperator(name, 'VOXBATCH_OPERATOR');
}

function printImported(ledger: string, kept: string): void {
  const message = `The ledger ${ledger} is of an earlier version, and was read into the layout of this one. The former one is kept as ${kept}; an earlier version refuses the new one.`;
  process.stderr.write(`voxbatch: ${showControls(message)}\n`);
}

/** Reasons already printed: a command may open its ledger twice. */
const printed = new Set<string>();

function printReadOnly(why: string): void {
  if (printed.has(why)) return;
  printed.add(why);
  process.stderr.write(`voxbatch: ${showControls(`${why} It can only be looked at.`)}\n`);
}

/** The settings of a command, and what in the folder's config file the user has yet to confirm. */
export type CommandSettings = Settings & Pick<FolderConfig, 'unconfirmed'>;

/** Reads the config file that `VOXBATCH_CONFIG` names, which must exist, or the folder's, which need not. */
function readConfigOf(env: NodeJS.ProcessEnv): Promise<FolderConfig> {
  const named = env['VOXBATCH_CONFIG'];
  if (named === undefined) return readFolderConfig(join(realpathSync('.'), CONFIG_FILE), env);
  if (existsSync(named)) return readNamedConfig(resolve(named));
  throw new ExitError('usage', `VOXBATCH_CONFIG: expected a config file, but there is no ${named}. ${UNTOUCHED}`);
}

/** Throws a usage error for an address that can be none: it is a wrong setting, not an unreachable ledger or store. */
function refuseAddress(env: NodeJS.ProcessEnv, { of, expected, got }: RefusedAddress): never {
  const variable = `VOXBATCH_${of.toUpperCase()}`;
  const where = env[variable] === undefined ? `"${of}" in voxbatch.config.json` : variable;
  throw new ExitError('usage', `${where}: expected ${expected}, got ${got}. Correct it. ${UNTOUCHED}`);
}

const UNTOUCHED = 'Nothing was recorded. Nothing was spent.';

/** Returns Temporal's standard settings if any is set (address, API key, TLS, a profile file); they mean a cluster. */
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

/** Thrown instead of sending the token to a URL that only a config file names and the user has not confirmed. */
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
 * Returns the API's URL and token. Throws {@link ExitError} `api` if one is missing or wrong, and
 * {@link AddressUnconfirmed}.
 */
export function readApiAccess(settings: Settings, flags: { readonly apiUrl?: string }): ApiAccess {
  const url = chosenApiUrl(settings, flags);
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
  const isFromUser = flags.apiUrl !== undefined || (settings.env['VOXBATCH_API_URL'] ?? '') !== '';
  if (!isFromUser && !isAddressConfirmed(settings.env, access)) throw new AddressUnconfirmed(access);
  return access;
}

/**
 * Returns the API's URL, confirmed or not; undefined if none is configured. For display and names only: nothing may be
 * sent there. Throws {@link ExitError} `api` for a wrong URL.
 */
export function readApiUrl(settings: Settings, flags: { readonly apiUrl?: string }): string | undefined {
  const url = chosenApiUrl(settings, flags);
  return url === undefined ? undefined : baseUrlOf(url);
}

function chosenApiUrl({ env, config }: Settings, { apiUrl }: { readonly apiUrl?: string }): string | undefined {
  return (apiUrl ?? env['VOXBATCH_API_URL'] ?? config.api?.url) || undefined;
}

function baseUrlOf(url: string): string {
  try {
    return apiAddress(url);
  } catch (error) {
    throw new ExitError('api', `${messageOf(error)} Nothing was spent.`, { cause: error });
  }
}

type Ledger = Awaited<ReturnType<typeof openRecords>>;

/**
 * Opens the ledger for a command that needs only the records, runs `work`, and closes it. Creates nothing: a missing
 * ledger is an error that suggests the next command. `waits`: wait for a database that cannot be reached now.
 */
export async function withLedger<T>(
  work: (ledger: Ledger, settings: CommandSettings) => Promise<T>,
  options: { readonly waits?: boolean } = {},
): Promise<T> {
  const settings = await readSettings();
  const ledger = await openRecords(settings, { mustExist: true, ...options }).catch(async (error: unknown) => {
    if (error instanceof VoxbatchError && error.problem.type === 'no-ledger') await refuseIfLost(settings);
    throw error;
  });
  try {
    return await work(ledger, settings);
  } catch (error) {
    const { problem } = error instanceof VoxbatchError ? error : {};
    if (problem?.type === 'no-batch' && problem.known.length === 0) await refuseIfLost(settings, ledger.id);
    throw error;
  } finally {
    await ledger.close();
  }
}

/** Throws if the store has media of a ledger that is lost. Its code is loaded late, since few commands need it. */
async function refuseIfLost(settings: CommandSettings, ledgerId?: string): Promise<void> {
  if (!existsSync(settings.store)) return;
  const { refuseLostLedger } = await import('../../client/lost-ledger.ts');
  await refuseLostLedger(settings, ledgerId);
}

/** Whether a command that spends would first ask the user to confirm the folder's config, or the API's URL in it. */
export function isUnconfirmed(settings: CommandSettings, flags: { readonly apiUrl?: string }): boolean {
  if (settings.unconfirmed !== undefined) return true;
  try {
    readApiAccess(settings, flags);
    return false;
  } catch (error) {
    // Other faults are reported where they occur.
    return error instanceof AddressUnconfirmed;
  }
}

/** Temporal's variables that decide where batches run. */
const TEMPORAL_SETTINGS = ['TEMPORAL_ADDRESS', 'TEMPORAL_NAMESPACE', 'TEMPORAL_API_KEY', 'TEMPORAL_PROFILE'];

/**
 * Throws for a variable whose name is probably misspelt. Were it ignored, a misspelt VOXBATCH_LEDGER would start a new
 * ledger, and every row would be paid for again. Names that resemble no variable of ours, or one that is set, are let
 * pass: they may belong to another program.
 */
export function refuseMistyped(env: NodeJS.ProcessEnv): void {
  const known = [...OWN_VARIABLES, ...TEMPORAL_SETTINGS];
  const unset = known.filter((name) => env[name] === undefined);
  for (const name of Object.keys(env)) {
    if (!/^(?:VOX|TEMP)/i.test(name) || known.includes(name)) continue;
    const meant = suggestName(name, unset);
    if (meant === undefined) continue;
    throw usageError(
      `${name} is set, but there is no such setting. Did you mean ${meant}? Correct or unset it. Nothing was recorded.`,
    );
  }
}
