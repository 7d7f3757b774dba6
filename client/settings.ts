import type { ClientConfigProfile } from '@temporalio/envconfig';
import type { Config } from '../inputs/schema.ts';

/** Where the records of a user lie, and how Temporal is reached. */
export interface Settings {
  /** Folder of the embedded Temporal database, and of ledger and store unless they are elsewhere. Absolute. */
  readonly home: string;
  /** Path of the ledger. */
  readonly ledger: string;
  /** Folder of media. Absolute. */
  readonly store: string;
  /** Prices, limits and habits, as in `voxbatch.config.json`. */
  readonly config: Config;
  /** A Temporal cluster; undefined: the embedded server of the home. */
  readonly cluster: ClientConfigProfile | undefined;
  /** Environment of the embedded server and of what finds it. No setting is read from it here. */
  readonly env: NodeJS.ProcessEnv;
}

/** Where the API is and how to enter it. The token is never printed and never stored. */
export interface ApiAccess {
  /** Ends in `/api/open/v1`. */
  readonly baseUrl: string;
  readonly token: string;
}
