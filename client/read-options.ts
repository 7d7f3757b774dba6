import { messageOf } from '../contract/message-of.ts';
import { defined } from '../contract/defined.ts';
import { parseResultMember } from '../contract/result-member.ts';
import { resolve } from 'node:path';
import { readPayloadKeys } from './encryption/read-payload-keys.ts';
import { VoxbatchError, refuseOption } from './problem.ts';
import {
  readWebhookOptions,
  type WebhookSettings,
  type WebhookEvent,
  type WebhookOptions,
} from './webhooks/webhook-options.ts';
import { apiAddress, placesIn, type ApiAccess, type RefusedAddress, type Settings, useOperations } from './settings.ts';
import type { OwnOperation } from '../contract/own-operations/own-operation.ts';
import { readMetricsOptions, type MetricsOptions } from './metrics/metrics-options.ts';
import { requireOperator } from './history/by-person.ts';
import type { Config } from '../inputs/config-file.ts';

/** A Temporal cluster, in the form of `@temporalio/envconfig`. */
export interface TemporalCluster {
  /** For example `temporal.example:7233`. */
  readonly address: string;
  /** Default `default`. */
  readonly namespace?: string;
  readonly apiKey?: string;
}

/** Options of {@link openVoxbatch}. The environment is only read to locate the Temporal server. */
export interface VoxbatchOptions {
  /** The API's URL and the token, which is sent nowhere else. Default: none, which is enough to inspect batches. */
  readonly api?: {
    /** Ends in `/api/open/v1`. */
    readonly url: string;
    readonly token: string;
  };
  /** Folder for all records. Default: `.voxbatch` in the working directory. */
  readonly home?: string;
  /** Path of the ledger. Default: `ledger.db` in `home`. */
  readonly ledger?: string;
  /** Folder of the media. Default: `store` in `home`. */
  readonly store?: string;
  /**
   * Prices, limits and defaults, as in `voxbatch.config.json`. Default: the built-in ones; the file itself is not read.
   */
  readonly config?: Config;
  /**
   * Your own paid operations, in addition to those in `config`. They stay registered for the life of the process, and a
   * name cannot be redefined. Default: none.
   */
  readonly operations?: readonly OwnOperation[];
  /** A cluster whose workers do the work. Default: an embedded server and a worker in this process. */
  readonly temporal?: TemporalCluster;
  /**
   * Keys that payloads in Temporal's histories are encrypted with, in the form of `VOXBATCH_PAYLOAD_KEYS`; the same as
   * the workers'. Default: they are not encrypted.
   */
  readonly payloadKeys?: string;
  /**
   * Routes the account's webhooks to this process's worker while batches run, so that it polls less. Not available with
   * a cluster. Default: none.
   */
  readonly webhook?: WebhookOptions;
  /** Called when the account's webhook changes hands or fails. Default: no-op. */
  readonly onWebhook?: (event: WebhookEvent) => void;
  /**
   * Counts what this process's worker does, for Prometheus or a collector. A process has one exporter: the first
   * worker's. Not available with a cluster. Default: nothing is counted.
   */
  readonly metrics?: MetricsOptions;
  /** Who is on record for what is done. Default: the user of this process, and its host. */
  readonly operator?: string;
  /** Called before anything slow, such as downloading a Temporal server. Default: no-op. */
  readonly say?: (line: string) => void;
}

/**
 * Turns a program's options into settings, with default paths. Throws {@link VoxbatchError} (`bad-option`,
 * `bad-config`) for an invalid one.
 */
export function settingsOf({
  home,
  ledger,
  store,
  operations = [],
  temporal,
  payloadKeys,
  operator,
  metrics,
  ...options
}: VoxbatchOptions): Settings {
  if (metrics !== undefined && temporal !== undefined)
    refuseOption('metrics', 'none with a cluster, where other processes work', 'some');
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
    payloadKeys: payloadKeys === undefined ? undefined : readPayloadKeys(payloadKeys, 'payloadKeys'),
    metrics: metrics && readMetricsOptions(metrics),
    env: process.env,
    ...defined({ operator: operator === undefined ? undefined : requireOperator(operator, 'operator') }),
  };
}

function refuseAddress(option: string, { expected, got }: Omit<RefusedAddress, 'of'>): never {
  throw new VoxbatchError({ type: 'bad-option', option, expected, got });
}

/** Returns the webhook settings with defaults, if any. Throws {@link VoxbatchError} (`bad-option`). */
export function webhookSettingsOf({
  webhook,
  temporal,
}: Pick<VoxbatchOptions, 'webhook' | 'temporal'>): WebhookSettings | undefined {
  if (webhook === undefined) return undefined;
  if (temporal !== undefined) refuseOption('webhook', 'none with a cluster, where other processes work', webhook.url);
  const settings = readWebhookOptions(webhook);
  if (!('expected' in settings)) return settings;
  const { option, expected } = settings;
  // Do not quote the URL to restore: its path may be a secret.
  return refuseOption(`webhook.${option}`, expected, option === 'restore' ? 'something else' : webhook[option]);
}

/**
 * Returns how to access the API: its URL, the token and extra member names for result links. Throws
 * {@link VoxbatchError} (`no-api`).
 */
export function accessOf({ api, config }: Pick<VoxbatchOptions, 'api' | 'config'>): ApiAccess {
  if (api === undefined) throw new VoxbatchError({ type: 'no-api', why: 'No API is given' });
  try {
    const resultMembers = parseResultMember(config?.resultMember);
    return { baseUrl: apiAddress(api.url), token: api.token, ...defined({ resultMembers }) };
  } catch (error) {
    throw new VoxbatchError({ type: 'no-api', why: messageOf(error) });
  }
}
