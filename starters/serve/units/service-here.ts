import { createHash } from 'node:crypto';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { isSecretProxy, PROXIES } from '../../../embedded/child-process.ts';
import { pathsIn } from '../../../embedded/home.ts';
import type { Settings } from '../../../client/settings.ts';
import { stateFolder } from '../../../client/trust/state-files.ts';
import type { Service } from './service.ts';

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

/** The `up` of this folder with the settings of this shell. `apiUrl`: as given by a flag. */
export function serviceHere(settings: Pick<Settings, 'home' | 'env'>, apiUrl: string | undefined): ServiceHere {
  const { home, env } = settings;
  const given: NodeJS.ProcessEnv = { ...env, ...(apiUrl === undefined ? {} : { VOXBATCH_API_URL: apiUrl }) };
  // A unit may hold a proxy, unless it has a user name and password.
  const isSecret = (name: string): boolean => isSecretProxy(name, env[name] ?? '');
  const set = [...PLAIN, ...PROXIES.filter((name) => !isSecret(name))].flatMap((name) => {
    const value = given[name] ?? '';
    return value === '' ? [] : [[name, value] as const];
  });
  const cli = fileURLToPath(
    new URL(import.meta.url.endsWith('.ts') ? '../../cli.ts' : '../../cli.js', import.meta.url),
  );
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
