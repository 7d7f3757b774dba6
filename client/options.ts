import type { Config } from '../inputs/config-file.ts';
import type { WebhookNews } from './webhooks/webhook-news.ts';
import type { WebhookOptions } from './webhooks/webhook-options.ts';

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
