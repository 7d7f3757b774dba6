import { createHash } from 'node:crypto';
import { mkdirSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { OWN_VARIABLES, SECRET_NAME } from '../../contract/environment.ts';
import { urlSchemeOf, withoutSecrets } from '../../contract/urls.ts';
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

/** Variables of the system that `up` heeds. */
const OF_SYSTEM = [
  ...['PATH', 'HOME', 'XDG_CACHE_HOME', 'XDG_STATE_HOME', 'NODE_EXTRA_CA_CERTS', 'NO_PROXY', 'no_proxy'],
  ...PROXIES,
];

/** Variables of ours that only other commands read. */
const OF_OTHER_COMMANDS = ['VOXBATCH_CODEC_TOKEN'];

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
  settings: Pick<Settings, 'home' | 'env' | 'ledger' | 'store'>,
  { apiUrl, cli }: { readonly apiUrl?: string | undefined; readonly cli: string },
): ServiceHere {
  const { home, env } = settings;
  const given: NodeJS.ProcessEnv = { ...env, ...(apiUrl === undefined ? {} : { VOXBATCH_API_URL: apiUrl }) };
  const set = heededBy(settings).filter((name) => (given[name] ?? '') !== '');
  const isSecret = (name: string): boolean => isSecretSetting(name, given[name]);
  const isTokenMissing = !set.some((name) => /^VOXBATCH_API_TOKEN/.test(name));
  const secrets = [...(isTokenMissing ? ['VOXBATCH_API_TOKEN'] : []), ...set.filter(isSecret)];
  const plain = set.filter((name) => !isSecret(name)).map((name) => [name, given[name] ?? ''] as const);
  const name = nameOf(process.cwd(), home);
  return {
    service: {
      name,
      voxbatch: [process.execPath, ...process.execArgv, cli],
      workingDirectory: process.cwd(),
      environment: { ...Object.fromEntries(plain), VOXBATCH_HOME: home },
      environmentFile: environmentFileOf(name, settings),
      needsFile: secrets.length > 0,
      log: pathsIn(home).upLog,
      isRoot: process.getuid?.() === 0,
    },
    secrets,
  };
}

/**
 * The variables that `up` heeds: those of the system, ours, and whichever are set of Temporal and OpenTelemetry, of
 * PostgreSQL for a ledger there, and of AWS for a store in a bucket. Their libraries read more than can be listed here.
 */
function heededBy({ env, ledger, store }: Pick<Settings, 'env' | 'ledger' | 'store'>): readonly string[] {
  const own = OWN_VARIABLES.filter((name) => !OF_OTHER_COMMANDS.includes(name));
  const prefixes = ['TEMPORAL_', 'OTEL_', ...(isUrl(ledger) ? ['PG'] : []), ...(isUrl(store) ? ['AWS_'] : [])];
  const others = Object.keys(env).filter((name) => prefixes.some((prefix) => name.startsWith(prefix)));
  return [...OF_SYSTEM, ...own, ...others.toSorted()];
}

function isUrl(place: string): boolean {
  return urlSchemeOf(place) !== undefined;
}

/** Whether a setting goes into the environment file, never into the unit, which others may read. */
function isSecretSetting(name: string, value = ''): boolean {
  // The name of a secret's file is no secret.
  if (/_(FILE|PATH)$/.test(name)) return false;
  return SECRET_NAME.test(name) || /(_RESTORE|_HEADERS|_DATA)$|_GRPC_META_/.test(name) || isSecretProxy(name, value);
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
