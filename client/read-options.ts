import { defined } from '../contract/defined.ts';
import { parseResultMember } from '../contract/result-member.ts';
import { resolve } from 'node:path';
import { messageOf, VoxbatchError, refuseOption } from './problem.ts';
import { webhookWish, type WebhookWish, type WebhookNews, type WebhookOptions } from './webhooks/webhook-options.ts';
import { apiAddress, placesIn, type ApiAccess, type RefusedAddress, type Settings, useOperations } from './settings.ts';
import type { OwnOperation } from '../contract/own-operation.ts';
import type { Config } from '../inputs/config-file.ts';

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
  /**
   * Paid operations of your own, besides those of `config`. They are known to this process for good, and the same name always means
   * the same. Default: none.
   */
  readonly operations?: readonly OwnOperation[];
  /** A cluster whose workers do the work. Default: an embedded server, and a worker in this process. */
  readonly temporal?: TemporalCluster;
  /**
   * Webhooks of the account, which lead to the worker of this process while batches are worked on: it polls less then. Not
   * for a cluster. Default: none.
   */
  readonly webhook?: WebhookOptions;
  /** Called with what happens to the account's webhook. Default: does nothing. */
  readonly onWebhook?: (news: WebhookNews) => void;
  /** Called before anything that takes long, such as downloading a Temporal server. Default: does nothing. */
  readonly say?: (line: string) => void;
}

/** Fills in the places that were not given. Throws {@link VoxbatchError} (`bad-option`, `bad-config`) for an impossible one. */
export function settingsOf({ home, ledger, store, operations = [], temporal, ...options }: VoxbatchOptions): Settings {
  const given = options.config ?? {};
  const own = [...(given.operations ?? []), ...operations];
  const config = own.length === 0 ? given : { ...given, operations: own };
  useOperations(config);
  const folder = resolve(home ?? '.voxbatch');
  return {
    ...placesIn(folder, { ledger, store: store ?? config.store }, ({ of, ...wrong }) =>
      refuseAddress(of === 'store' && store === undefined ? 'config.store' : of, wrong),
    ),
    isLedgerNamed: (home ?? ledger) !== undefined,
    config,
    cluster: temporal,
    env: process.env,
  };
}

function refuseAddress(option: string, { expected, came }: Omit<RefusedAddress, 'of'>): never {
  throw new VoxbatchError({ type: 'bad-option', option, expected, came });
}

/** How webhooks reach this process, if they do. Throws {@link VoxbatchError} (`bad-option`). */
export function wishOf({ webhook, temporal }: Pick<VoxbatchOptions, 'webhook' | 'temporal'>): WebhookWish | undefined {
  if (webhook === undefined) return undefined;
  if (temporal !== undefined) refuseOption('webhook', 'none with a cluster, where other processes work', webhook.url);
  const wish = webhookWish(webhook);
  if (!('expected' in wish)) return wish;
  // The path of an address is a secret.
  const came = wish.option === 'restore' ? 'something else' : webhook[wish.option];
  return refuseOption(`webhook.${wish.option}`, wish.expected, came);
}

/** How the API is reached, and read. Throws {@link VoxbatchError} (`no-api`). */
export function accessOf({ api, config }: Pick<VoxbatchOptions, 'api' | 'config'>): ApiAccess {
  if (api === undefined) throw new VoxbatchError({ type: 'no-api', why: 'No API is given' });
  try {
    const resultMembers = parseResultMember(config?.resultMember);
    return { baseUrl: apiAddress(api.url), token: api.token, ...defined({ resultMembers }) };
  } catch (error) {
    throw new VoxbatchError({ type: 'no-api', why: messageOf(error) });
  }
}
