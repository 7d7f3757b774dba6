import { createHash } from 'node:crypto';
import { mkdirSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { withoutSecrets } from '../../contract/url-scheme.ts';
import { isSecretProxy, PROXIES } from '../../embedded/child-process.ts';
import { makeHome, pathsIn } from '../../embedded/home.ts';
import { VoxbatchError } from '../problem.ts';
import type { Settings } from '../settings.ts';
import { stateFolder } from '../trust/state-files.ts';

/** `voxbatch up` of one folder, as a service manager runs it. */
export interface Service {
  /** Of letters, digits and dashes; `voxbatch-` and the name of the folder. */
  readonly name: string;
  /** Node, its options and `cli.js`; all absolute. What `voxbatch` stands for. */
  readonly voxbatch: readonly string[];
  /** Absolute: where the configuration file, manifests and `out/` are, and where hooks run. */
  readonly workingDirectory: string;
  /** Settings that are no secrets. */
  readonly environment: Readonly<Record<string, string>>;
  /** File with the secrets, absolute: `NAME='value'` in each line. */
  readonly environmentFile: string;
  /** False: there may be no such file, because no secret is needed. */
  readonly needsFile: boolean;
  /** Where its log goes if the service manager has none of its own, absolute. */
  readonly log: string;
  /** True: a service of the system; false: of the user. */
  readonly isRoot: boolean;
}

/**
 * Settings that a unit may hold: addresses and places, which are no secrets. What is not among them, and no secret, is
 * nothing that `up` reads.
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

/** Settings that go to the file of the environment instead, and never into a unit. */
const SECRET = [
  'VOXBATCH_API_TOKEN',
  'VOXBATCH_NOTIFY_SECRET',
  'VOXBATCH_WEBHOOK_RESTORE',
  'TEMPORAL_API_KEY',
] as const;

/** What the service of this folder needs, and which secrets this shell has for it. */
export interface ServiceHere {
  readonly service: Service;
  /** Names of secrets for the file of the environment. */
  readonly secrets: readonly string[];
}

/** The `up` of this folder with the settings of this shell. `apiUrl`: as given by a flag; `cli`: path of `cli.js`, absolute. */
export function serviceHere(
  settings: Pick<Settings, 'home' | 'env'>,
  { apiUrl, cli }: { readonly apiUrl?: string | undefined; readonly cli: string },
): ServiceHere {
  const { home, env } = settings;
  const given: NodeJS.ProcessEnv = { ...env, ...(apiUrl === undefined ? {} : { VOXBATCH_API_URL: apiUrl }) };
  // A unit may hold a proxy, unless it has a user name and password.
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

/** The setting of a service that a unit, which holds no secret, cannot have: a URL with a password or a query. */
export function secretSettingOf({ environment }: Service): string | undefined {
  const isSecret = (value: string): boolean => value.includes('://') && withoutSecrets(value) !== value;
  return Object.entries(environment).find(([, value]) => isSecret(value))?.[0];
}

/** Makes the folders of its log and of its secrets. Throws {@link VoxbatchError} (`state-unwritable`). */
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
 * A service manager reads the file of the environment, or has a shell run it. So it lies where no folder can bring one along: in a home that
 * the user has named, else in their state folder.
 */
function environmentFileOf(name: string, { home, env }: Pick<Settings, 'home' | 'env'>): string {
  const isHomeNamed = (env['VOXBATCH_HOME'] ?? '') !== '';
  return isHomeNamed ? join(home, 'service.env') : join(stateFolder(env), 'services', `${name}.env`);
}

/** `voxbatch-`, what can be used of the folder's name, and a mark of the home: folders may have the same name. */
function nameOf(folder: string, home: string): string {
  const words = basename(folder)
    .toLowerCase()
    .split(/[^a-z0-9]+/)
    .filter((word) => word !== '' && word !== 'voxbatch');
  const mark = createHash('sha256').update(home).digest('hex').slice(0, 6);
  return ['voxbatch', ...words, mark].join('-');
}
