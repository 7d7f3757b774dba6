import { join } from 'node:path';
import { readBaseUrl } from '../api/base-url.ts';
import { addOperations, OwnOperationError } from '../contract/own-operations/own-operation-rules.ts';
import type { Config } from '../inputs/config-file.ts';
import type { MetricsTarget } from '../contract/metrics-target.ts';
import { readLedgerAddress } from '../ledger/supported-databases.ts';
import { readStoreAddress } from '../store/supported-stores.ts';
import type { PayloadKeys } from '../worker/encryption/payload-keys.ts';
import { VoxbatchError } from './problem.ts';

/** Where a user's records are, and how to reach Temporal. */
export interface Settings {
  /** Absolute path of the folder with the embedded Temporal database, and with ledger and store by default. */
  readonly home: string;
  /** Address of the ledger: an absolute path, or a URL; see `ledger/supported-databases.ts`. */
  readonly ledger: string;
  /**
   * True if the user named the ledger's place; false if it was found in the working folder, which may be somebody
   * else's.
   */
  readonly isLedgerNamed: boolean;
  /** Address of the store: an absolute path, or a URL; see `store/supported-stores.ts`. */
  readonly store: string;
  /**
   * Called after a ledger with an earlier version's layout was imported into the current one. `kept`: path of the old
   * ledger. Default: no-op.
   */
  readonly onImported?: (ledger: string, kept: string) => void;
  /**
   * Called when a ledger is opened for reading, and no work can be done on it; `why`: a sentence. Default: no-op.
   */
  readonly onReadOnly?: (why: string) => void;
  /** Who is on record for what is done with these settings. Default: the user of this process, and its host. */
  readonly operator?: string;
  /** Prices, limits and defaults, as in `voxbatch.config.json`. */
  readonly config: Config;
  /** A Temporal cluster; undefined means the home's embedded server. */
  readonly cluster: ClusterSettings | undefined;
  /** Keys that payloads in Temporal's histories are encrypted with. Default: they are not. */
  readonly payloadKeys?: PayloadKeys | undefined;
  /** Where the metrics of a worker in this process go. Default: nothing is counted. */
  readonly metrics?: MetricsTarget | undefined;
  /** Environment for the embedded server and the search for its binary. No settings are read from it here. */
  readonly env: NodeJS.ProcessEnv;
}

/** A certificate or key: a file's path or its content. */
type Pem = { path: string } | { data: string | Uint8Array };

/**
 * How to reach a cluster, in the form of `ClientConfigProfile` from `@temporalio/envconfig`; the compiler checks that
 * the two are compatible where they meet. Using that type itself would pull Temporal's declarations into every program
 * that uses the library.
 */
interface ClusterSettings {
  address?: string;
  namespace?: string;
  apiKey?: string;
  tls?: { disabled?: boolean; serverName?: string; clientCert?: Pem; clientKey?: Pem; serverCACert?: Pem };
  grpcMeta?: Record<string, string>;
}

/** How to access the API. The token is never printed or stored. */
export interface ApiAccess {
  /** Ends in `/api/open/v1`. */
  readonly baseUrl: string;
  readonly token: string;
  /** Additional member names under which jobs may carry their result link. */
  readonly resultMembers?: readonly string[];
}

/** An invalid address of a ledger or store. */
export interface RefusedAddress {
  readonly of: 'ledger' | 'store';
  readonly expected: string;
  /** The given value; for a URL only the scheme. */
  readonly got: string;
}

/**
 * Registers the operations of a configuration, or of a recorded batch (`of`: its name), in this process. Throws {@link
 * VoxbatchError} (`bad-config`).
 */
export function useOperations({ operations = [] }: Pick<Config, 'operations'>, of?: string): void {
  try {
    addOperations(operations);
  } catch (error) {
    const cause = error instanceof OwnOperationError && of !== undefined ? otherThan(error, of) : error;
    throw new VoxbatchError({ type: 'bad-config', cause });
  }
}

function otherThan({ operation }: OwnOperationError, batch: string): Error {
  return new Error(
    `Batch "${batch}" was made with another operation "${operation}" than the configuration has now. ` +
      'Put the former one back, and give the new one another name.',
  );
}

/** Normalizes an API's URL for use and for the record. Throws an error that says what is wrong with it. */
export function apiAddress(url: string): string {
  return readBaseUrl(url).baseUrl;
}

/**
 * Returns the addresses of ledger and store: as given, or by default in the home. `refuse`: throws for an invalid one.
 */
export function placesIn(
  home: string,
  given: { readonly ledger?: string | undefined; readonly store?: string | undefined },
  refuse: (refused: RefusedAddress) => never,
): Pick<Settings, 'home' | 'ledger' | 'store'> {
  const ledger = readLedgerAddress(given.ledger ?? join(home, 'ledger.db'));
  const store = readStoreAddress(given.store ?? join(home, 'store'));
  return {
    home,
    ledger: ledger.type === 'address' ? ledger.address : refuse({ of: 'ledger', ...ledger }),
    store: store.type === 'address' ? store.address : refuse({ of: 'store', ...store }),
  };
}
