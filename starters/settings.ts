import { resolve } from 'node:path';
import type { ClientConfigProfile } from '@temporalio/envconfig';
import { loadClientConfigProfile } from '@temporalio/envconfig';
import { readBaseUrl } from '../api/base-url.ts';
import { readConfig, type Config } from '../inputs/schema.ts';
import { ExitError } from './exit-error.ts';

/** What was set from outside, read once: flags over environment over `voxbatch.config.json`. */
export interface Settings {
  /** Folder of ledger, Temporal database and store: `VOXBATCH_HOME`, default `.voxbatch`. Absolute. */
  readonly home: string;
  /** Path or URL of the ledger: `VOXBATCH_LEDGER`, default `ledger.db` in the home. */
  readonly ledger: string;
  /** Folder of media: `VOXBATCH_STORE` or `store` in the config file, default `store` in the home. */
  readonly store: string;
  readonly config: Config;
  /** Set by the standard Temporal settings; undefined: embedded. */
  readonly cluster: ClientConfigProfile | undefined;
  readonly env: NodeJS.ProcessEnv;
}

/** Where the API is and how to enter it. The token is never printed and never stored. */
export interface ApiAccess {
  readonly baseUrl: string;
  readonly token: string;
}

export async function readSettings(env: NodeJS.ProcessEnv = process.env): Promise<Settings> {
  const home = resolve(env['VOXBATCH_HOME'] ?? '.voxbatch');
  const config = await readConfig(resolve('voxbatch.config.json')).catch((error: unknown) => {
    throw new ExitError('usage', `${messageOf(error)} Nothing was spent.`, { cause: error });
  });
  return {
    home,
    config,
    ledger: env['VOXBATCH_LEDGER'] ?? resolve(home, 'ledger.db'),
    store: resolve(env['VOXBATCH_STORE'] ?? config.store ?? resolve(home, 'store')),
    cluster: readCluster(env),
    env,
  };
}

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

/** The API's address and token, or the message that tells how to set them. */
export function readApiAccess(settings: Settings, flags: { readonly apiUrl?: string }): ApiAccess {
  const url = flags.apiUrl ?? settings.env['VOXBATCH_API_URL'] ?? settings.config.api?.url;
  if (url === undefined || url === '') {
    throw new ExitError(
      'api',
      'No API is configured. Set VOXBATCH_API_URL (it ends in /api/open/v1) and VOXBATCH_API_TOKEN, or rehearse: ' +
        'voxbatch simulate --port 8080. Nothing was spent.',
    );
  }
  const token = settings.env['VOXBATCH_API_TOKEN'];
  if (token === undefined || token.trim() === '') {
    throw new ExitError('api', 'No API token. Set VOXBATCH_API_TOKEN to a token of your account. Nothing was spent.');
  }
  try {
    return { baseUrl: readBaseUrl(url).baseUrl, token: token.trim() };
  } catch (error) {
    throw new ExitError('api', `${messageOf(error)} Nothing was spent.`, { cause: error });
  }
}

/** The words of anything that was thrown. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
