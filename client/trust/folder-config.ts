import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import type { Config, readConfig } from '../../inputs/config-file.ts';
import { membersToConfirm, withoutConfirmed, type ConfirmedMembers } from '../../inputs/confirmed-members.ts';
import { VoxbatchError } from '../problem.ts';
import { createHash } from 'node:crypto';
import { canonicalJson } from '../../contract/canonical-json.ts';
import { readState, removeState, stateFile, writeState, stateFolder } from './state-files.ts';
import { join } from 'node:path';

/** In a folder. */
export const CONFIG_FILE = 'voxbatch.config.json';

/** Members of a config that nobody has confirmed, and the config with them. */
export interface UnconfirmedConfig extends RiskyConfig {
  readonly whole: Config;
}

/** The config file of a folder, as far as its user has confirmed it. */
export interface FolderConfig {
  readonly config: Config;
  /** Where media are kept, confirmed or not: to look at what is on record takes the right store, and no confirmation. */
  readonly store: string | undefined;
  /** What nobody has confirmed, so that `config` lacks it. */
  readonly unconfirmed?: UnconfirmedConfig;
}

/**
 * The config file of a folder; an empty config if there is none. `path`: links are resolved in the folder, not in the file's own name,
 * which may be a link to one that its user has confirmed elsewhere, where ./publish.sh is another. Throws {@link VoxbatchError} (`bad-config`).
 */
export async function readFolderConfig(path: string, env: NodeJS.ProcessEnv): Promise<FolderConfig> {
  const { config: whole, members } = await readRiskyConfig(path);
  const isConfirmed = Object.keys(members).length === 0 || isConfigConfirmed(env, { path, members });
  if (isConfirmed) return { config: whole, store: whole.store };
  return { config: withoutConfirmed(whole), store: whole.store, unconfirmed: { path, members, whole } };
}

/** A config file that its user has named, which is their own word. Throws {@link VoxbatchError} (`bad-config`). */
export async function readNamedConfig(path: string): Promise<FolderConfig> {
  // It may be a pipe, such as that of `<(…)`; one that lies in a folder would hang.
  const config = await readSoundConfig(path, (file) => readFile(file, 'utf8'));
  return { config, store: config.store };
}

/** A config file, and what of it has to be confirmed. Throws {@link VoxbatchError} (`bad-config`). */
export async function readRiskyConfig(path: string): Promise<RiskyConfig & { readonly config: Config }> {
  const config = await readSoundConfig(path);
  return { path, members: membersToConfirm(config), config };
}

async function readSoundConfig(...request: Parameters<typeof readConfig>): Promise<Config> {
  // Few folders have one, and what checks it takes a while to load.
  if (!existsSync(request[0])) return {};
  const { readConfig: read } = await import('../../inputs/config-file.ts');
  return read(...request).catch((cause: unknown) => {
    throw new VoxbatchError({ type: 'bad-config', cause });
  });
}

/** Members of a config file that have to be confirmed. */
export interface RiskyConfig {
  /** Of the file; absolute. Links are resolved in the folder, not in the file's own name: commands run in that folder. */
  readonly path: string;
  readonly members: ConfirmedMembers;
}

const KIND = 'configs';

/** Whether the user has confirmed exactly these members of this file. */
export function isConfigConfirmed(env: NodeJS.ProcessEnv, config: RiskyConfig): boolean {
  const found = readState(stateFile(env, KIND, config.path));
  return typeof found === 'object' && found !== null && 'digest' in found && found.digest === digestOf(config);
}

/** Remembers a yes. Throws if it cannot be written. */
export function rememberConfig(env: NodeJS.ProcessEnv, config: RiskyConfig): void {
  writeState(stateFile(env, KIND, config.path), { path: config.path, digest: digestOf(config) });
}

/** Takes a yes back. */
export function forgetConfig(env: NodeJS.ProcessEnv, path: string): void {
  removeState(stateFile(env, KIND, path));
}

function digestOf({ path, members }: RiskyConfig): string {
  return createHash('sha256')
    .update(canonicalJson([path, members]))
    .digest('hex');
}

/** An address and the token that would go to it. */
export interface AddressUse {
  readonly baseUrl: string;
  readonly token: string;
}

/** Whether a person has allowed this token for the origin of this address. */
export function isConfirmed(env: NodeJS.ProcessEnv, use: AddressUse): boolean {
  return read(fileIn(env)).includes(hashOf(use));
}

/** Remembers a yes. Throws if it cannot be written. */
export function rememberConfirmed(env: NodeJS.ProcessEnv, use: AddressUse): void {
  const file = fileIn(env);
  writeState(file, [...new Set([...read(file), hashOf(use)])]);
}

/** Takes a yes back. */
export function forgetConfirmed(env: NodeJS.ProcessEnv, use: AddressUse): void {
  const file = fileIn(env);
  const others = read(file).filter((hash) => hash !== hashOf(use));
  if (others.length < read(file).length) writeState(file, others);
}

/**
 * Which token a person has allowed to go to which origin, if the address came only from a config file: such a file
 * comes with a folder, and the author of the folder may want the token. Kept outside of any working folder, readable
 * only by its owner, and as hashes.
 */
function read(file: string): readonly string[] {
  const found = readState(file);
  return Array.isArray(found) ? found.filter((one) => typeof one === 'string') : [];
}

function fileIn(env: NodeJS.ProcessEnv): string {
  return join(stateFolder(env), 'confirmed-addresses.json');
}

function hashOf({ baseUrl, token }: AddressUse): string {
  return createHash('sha256')
    .update(`${new URL(baseUrl).origin}\n${token}`)
    .digest('hex');
}
