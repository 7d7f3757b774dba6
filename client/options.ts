import { resolve } from 'node:path';
import { readBaseUrl } from '../api/base-url.ts';
import type { Config } from '../inputs/config-file.ts';
import { messageOf, VoxbatchError } from './problem.ts';
import { placesIn, type ApiAccess, type RefusedAddress, type Settings } from './settings.ts';

/** A Temporal cluster, as `@temporalio/envconfig` describes one. */
export interface TemporalCluster {
  /** For example `temporal.example:7233`. */
  readonly address: string;
  /** Default `default`. */
  readonly namespace?: string;
  readonly apiKey?: string;
}

/** Options of {@link openVoxbatch}. Nothing is read from the environment except what finds the Temporal server. */
export interface VoxbatchOptions {
  /**
   * Address of the API, and the token, which goes there and nowhere else. Default: none, which is enough to look at
   * batches.
   */
  readonly api?: {
    /** Ends in `/api/open/v1`. */
    readonly url: string;
    readonly token: string;
  };
  /** Folder of the records. Default `.voxbatch` in the working directory. */
  readonly home?: string;
  /** Path of the ledger. Default `ledger.db` in the home. */
  readonly ledger?: string;
  /** Folder of the media. Default `store` in the home. */
  readonly store?: string;
  /**
   * Prices, limits and defaults, as in `voxbatch.config.json`. Default: the built-in ones. The file itself is not read.
   */
  readonly config?: Config;
  /** A cluster whose workers do the work. Default: an embedded server, and a worker in this process. */
  readonly temporal?: TemporalCluster;
  /** Called before anything that takes long, such as downloading a Temporal server. Default: does nothing. */
  readonly say?: (line: string) => void;
}

/** Fills in the places that were not given. Throws {@link VoxbatchError} (`bad-option`) for an impossible one. */
export function settingsOf({ home = '.voxbatch', ledger, store, config = {}, temporal }: VoxbatchOptions): Settings {
  const folder = resolve(home);
  return {
    ...placesIn(folder, { ledger, store: store ?? config.store }, refuseAddress),
    config,
    cluster: temporal,
    env: process.env,
  };
}

function refuseAddress({ of, expected, came }: RefusedAddress): never {
  throw new VoxbatchError({ type: 'bad-option', option: of, expected, came });
}

/** Address and token of the API. Throws {@link VoxbatchError} (`no-api`). */
export function accessOf({ api }: Pick<VoxbatchOptions, 'api'>): ApiAccess {
  if (api === undefined) throw new VoxbatchError({ type: 'no-api', why: 'No API is given' });
  try {
    return { baseUrl: readBaseUrl(api.url).baseUrl, token: api.token };
  } catch (error) {
    throw new VoxbatchError({ type: 'no-api', why: messageOf(error) });
  }
}
