import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import type { Config, readConfig } from '../../inputs/config-file.ts';
import { VoxbatchError } from '../problem.ts';
import { createHash } from 'node:crypto';
import { canonicalJson } from '../../contract/canonical-json.ts';
import { readState, removeState, stateFile, writeState, stateFolder } from './state-files.ts';
import { join } from 'node:path';

// A folder's config may come from somebody else. Two things of it need the user's confirmation: its risky members, and
// the API's address, before the user's token is sent there.

/** File name of a folder's config. */
export const CONFIG_FILE = 'voxbatch.config.json';

/** The unconfirmed members of a config, and the whole config including them. */
export interface UnconfirmedConfig extends RiskyConfig {
  readonly whole: Config;
}

/** A folder's config file, reduced to what its user has confirmed. */
export interface FolderConfig {
  readonly config: Config;
  /** The store's place, confirmed or not: viewing records requires the right store, but no confirmation. */
  readonly store: string | undefined;
  /** The unconfirmed members, which `config` lacks. */
  readonly unconfirmed?: UnconfirmedConfig;
}

/**
 * Reads a folder's config file; an empty config if there is none. `path`: links in the folder are resolved, but not the
 * file's own name: it may be a link to a file confirmed elsewhere, where ./publish.sh is a different script. Throws
 * {@link VoxbatchError} (`bad-config`).
 */
export async function readFolderConfig(path: string, env: NodeJS.ProcessEnv): Promise<FolderConfig> {
  const { config: whole, members } = await readRiskyConfig(path);
  const isConfirmed = Object.keys(members).length === 0 || isConfigConfirmed(env, { path, members });
  if (isConfirmed) return { config: whole, store: whole.store };
  return { config: withoutRisky(whole), store: whole.store, unconfirmed: { path, members, whole } };
}

/**
 * Reads a config file that the user named explicitly, which counts as confirmation. Throws {@link VoxbatchError}
 * (`bad-config`).
 */
export async function readNamedConfig(path: string): Promise<FolderConfig> {
  // A named file may be a pipe such as `<(…)`; a pipe found in a folder would hang.
  const config = await readIfThere(path, (file) => readFile(file, 'utf8'));
  return { config, store: config.store };
}

/** Reads a config file and its members that need confirmation. Throws {@link VoxbatchError} (`bad-config`). */
export async function readRiskyConfig(path: string): Promise<RiskyConfig & { readonly config: Config }> {
  const config = await readIfThere(path);
  return { path, members: riskyMembers(config), config };
}

async function readIfThere(...request: Parameters<typeof readConfig>): Promise<Config> {
  // Few folders have a config, and its validator is slow to load.
  if (!existsSync(request[0])) return {};
  const { readConfig: read } = await import('../../inputs/config-file.ts');
  return read(...request).catch((cause: unknown) => {
    throw new VoxbatchError({ type: 'bad-config', cause });
  });
}

/** Members of a config file that need confirmation. */
export interface RiskyConfig {
  /**
   * Absolute path of the file. Links in the folder are resolved, but not the file's own name: commands run in that
   * folder.
   */
  readonly path: string;
  readonly members: RiskyMembers;
}

/** Folder of the confirmations of configs, in the state folder. */
const KIND = 'configs';

/** Whether the user has confirmed exactly these members of this file. */
export function isConfigConfirmed(env: NodeJS.ProcessEnv, config: RiskyConfig): boolean {
  const found = readState(stateFile(env, KIND, config.path));
  return typeof found === 'object' && found !== null && 'digest' in found && found.digest === digestOf(config);
}

/** Records a confirmation. Throws if it cannot be written. */
export function rememberConfig(env: NodeJS.ProcessEnv, config: RiskyConfig): void {
  writeState(stateFile(env, KIND, config.path), { path: config.path, digest: digestOf(config) });
}

/** Revokes a confirmation. */
export function forgetConfig(env: NodeJS.ProcessEnv, path: string): void {
  removeState(stateFile(env, KIND, path));
}

function digestOf({ path, members }: RiskyConfig): string {
  return createHash('sha256')
    .update(canonicalJson([path, members]))
    .digest('hex');
}

/** A URL and the token that would be sent to it. */
export interface AddressUse {
  readonly baseUrl: string;
  readonly token: string;
}

/** Whether a person has allowed this token for the URL's origin. */
export function isAddressConfirmed(env: NodeJS.ProcessEnv, use: AddressUse): boolean {
  return readAllowed(addressFile(env)).includes(allowanceHash(use));
}

/** Records a confirmation. Throws if it cannot be written. */
export function rememberAddress(env: NodeJS.ProcessEnv, use: AddressUse): void {
  const file = addressFile(env);
  writeState(file, [...new Set([...readAllowed(file), allowanceHash(use)])]);
}

/** Revokes a confirmation. */
export function forgetAddress(env: NodeJS.ProcessEnv, use: AddressUse): void {
  const file = addressFile(env);
  const others = readAllowed(file).filter((hash) => hash !== allowanceHash(use));
  if (others.length < readAllowed(file).length) writeState(file, others);
}

/**
 * Reads which tokens a person has allowed for which origins. This matters if the URL came only from a config file: such
 * a file may come with a folder whose author wants the token. Stored as hashes outside of any working folder, readable
 * only by its owner.
 */
function readAllowed(file: string): readonly string[] {
  const found = readState(file);
  return Array.isArray(found) ? found.filter((one) => typeof one === 'string') : [];
}

function addressFile(env: NodeJS.ProcessEnv): string {
  return join(stateFolder(env), 'confirmed-addresses.json');
}

function allowanceHash({ baseUrl, token }: AddressUse): string {
  return createHash('sha256')
    .update(`${new URL(baseUrl).origin}\n${token}`)
    .digest('hex');
}

/**
 * Config members that a user must confirm once per folder: each can run a command, name an address or location, or
 * cause more spending than the bill and budget that the user agreed to. `docs/decisions/confirmation.md` gives the
 * reason for each, and for those left out.
 */
const RISKY_MEMBERS = [
  'onEnd',
  'notify',
  'store',
  'serveMedia',
  'serveMediaUrl',
  'prices',
  'operations',
  'assumeSeconds',
  'onUnknown',
  'retakes',
  'trust503',
] as const satisfies readonly (keyof Config)[];

/** The risky members that a config has; null counts as absent. */
type RiskyMembers = Pick<Config, (typeof RISKY_MEMBERS)[number]>;

/** Picks the risky members that this config has. */
function riskyMembers(config: Config): RiskyMembers {
  return Object.fromEntries(
    RISKY_MEMBERS.flatMap((name) => ((config[name] ?? null) === null ? [] : [[name, config[name]]])),
  );
}

/** The config without its risky members, safe to use before confirmation. */
function withoutRisky(config: Config): Config {
  const risky: readonly string[] = RISKY_MEMBERS;
  return Object.fromEntries(Object.entries(config).filter(([name]) => !risky.includes(name)));
}
