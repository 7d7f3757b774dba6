import { createHash } from 'node:crypto';
import { mkdirSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { withoutSecrets } from '../../contract/urls.ts';
import { isSecretProxy, PROXIES } from '../../embedded/child-process.ts';
import { makeHome, pathsIn } from '../../embedded/home.ts';
import { VoxbatchError } from '../problem.ts';
import type { Settings } from '../settings.ts';
import { stateFolder } from '../trust/state-files.ts';

/** A folder's `voxbatch up` as a service. */
export interface Service {
  /** `voxbatch-` and the folder's name, in letters, digits and dashes. */
  readonly name: string;
  /** The command line behind `voxbatch`: Node, its options and `cli.js`, all paths absolute. */
  readonly voxbatch: readonly string[];
  /** Absolute path of the folder with the configuration file, manifests and `out/`, where hooks run. */
  readonly workingDirectory: string;
  /** Settings that are not secrets. */
  readonly environment: Readonly<Record<string, string>>;
  /** Absolute path of the file with the secrets, one `NAME='value'` per line. */
  readonly environmentFile: string;
  /** False if no secret is needed, so the file may be missing. */
  readonly needsFile: boolean;
  /** Absolute path of its log file, if the service manager keeps no log itself. */
  readonly log: string;
  /** True for a system service, false for a user service. */
  readonly isRoot: boolean;
}

/**
 * Settings that a unit (the service manager's definition of the service, which others may read) may hold: addresses and
 * paths, which are not secrets. `up` reads no settings beyond these and the secrets.
 */
const PLAIN = [
  'PATH',
  'HOME',
  'XDG_CACHE_HOME',
  'XDG_STATE_HOME',
  'NODE_EXTRA_CA_CERTS',
  'NO_PROXY',
  'no_proxy',
  'VOXBATCH_API_URL',
  'VOXBATCH_API_TOKEN_FILE',
  'VOXBATCH_CONFIG',
  'VOXBATCH_LEDGER',
  'VOXBATCH_STORE',
  'VOXBATCH_TEMPORAL_CLI',
  'VOXBATCH_FFMPEG',
  'TEMPORAL_ADDRESS',
  'TEMPORAL_NAMESPACE',
  'TEMPORAL_CONFIG_FILE',
  'TEMPORAL_PROFILE',
  'TEMPORAL_TLS',
  'TEMPORAL_TLS_SERVER_NAME',
  'TEMPORAL_TLS_SERVER_CA_CERT_PATH',
  'TEMPORAL_TLS_CLIENT_CERT_PATH',
  'TEMPORAL_TLS_CLIENT_KEY_PATH',
] as const;

/** Settings that go into the environment file, never into a unit. */
const SECRET = [
  'VOXBATCH_API_TOKEN',
  'VOXBATCH_NOTIFY_SECRET',
  'VOXBATCH_WEBHOOK_RESTORE',
  'TEMPORAL_API_KEY',
] as const;

/** This folder's service, and the secrets that this shell has for it. */
export interface ServiceHere {
  readonly service: Service;
  /** Names of the secrets for the environment file. */
  readonly secrets: readonly string[];
}

/**
 * Describes this folder's `up` as a service with this shell's settings.
 *
 * @param apiUrl as given by a flag
 * @param cli absolute path of `cli.js`
 */
export function describeService(
  settings: Pick<Settings, 'home' | 'env'>,
  { apiUrl, cli }: { readonly apiUrl?: string | undefined; readonly cli: string },
): ServiceHere {
  const { home, env } = settings;
  const given: NodeJS.ProcessEnv = { ...env, ...(apiUrl === undefined ? {} : { VOXBATCH_API_URL: apiUrl }) };
  // A unit may hold a proxy URL, unless it contains credentials.
  const isSecret = (name: string): boolean => isSecretProxy(name, env[name] ?? '');
  const set = [...PLAIN, ...PROXIES.filter((name) => !isSecret(name))].flatMap((name) => {
    const value = given[name] ?? '';
    return value === '' ? [] : [[name, value] as const];
  });
  const isTokenInFile = (env['VOXBATCH_API_TOKEN_FILE'] ?? '') !== '';
  const secrets = [
    ...SECRET.filter((name) => (env[name] ?? '') !== '' || (name === 'VOXBATCH_API_TOKEN' && !isTokenInFile)),
    ...PROXIES.filter(isSecret),
  ];
  const name = nameOf(process.cwd(), home);
  return {
    service: {
      name,
      voxbatch: [process.execPath, ...process.execArgv, cli],
      workingDirectory: process.cwd(),
      environment: { ...Object.fromEntries(set), VOXBATCH_HOME: home },
      environmentFile: environmentFileOf(name, settings),
      needsFile: secrets.length > 0,
      log: pathsIn(home).upLog,
      isRoot: process.getuid?.() === 0,
    },
    secrets,
  };
}

/** The first setting that must not go into a unit, because it is a URL with a password or a query. */
export function secretSettingOf({ environment }: Service): string | undefined {
  const isSecret = (value: string): boolean => value.includes('://') && withoutSecrets(value) !== value;
  return Object.entries(environment).find(([, value]) => isSecret(value))?.[0];
}

/** Creates the folders for its log and its secrets. Throws {@link VoxbatchError} (`state-unwritable`). */
export function makeFoldersFor({ service, secrets }: ServiceHere, { home }: Pick<Settings, 'home'>): void {
  makeHome(home);
  if (secrets.length === 0) return;
  const folder = dirname(service.environmentFile);
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
  } catch (cause) {
    throw new VoxbatchError({ type: 'state-unwritable', folder, cause });
  }
}

/**
 * Path of the environment file. Service managers read it, or have a shell execute it, so it must not be able to come
 * along with a folder: it is in the home if the user named that, otherwise in their state folder.
 */
function environmentFileOf(name: string, { home, env }: Pick<Settings, 'home' | 'env'>): string {
  const isHomeNamed = (env['VOXBATCH_HOME'] ?? '') !== '';
  return isHomeNamed ? join(home, 'service.env') : join(stateFolder(env), 'services', `${name}.env`);
}

/**
 * `voxbatch-`, the usable characters of the folder's name, and a hash of the home, because folders may share a name.
 */
function nameOf(folder: string, home: string): string {
  const words = basename(folder)
    .toLowerCase()
    .split(/[^a-z0-9]+/)
    .filter((word) => word !== '' && word !== 'voxbatch');
  const mark = createHash('sha256').update(home).digest('hex').slice(0, 6);
  return ['voxbatch', ...words, mark].join('-');
}
