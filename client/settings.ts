import { join } from 'node:path';
import { readBaseUrl } from '../api/base-url.ts';
import { addOperations, OwnOperationError } from '../contract/add-operations.ts';
import type { Config } from '../inputs/config-file.ts';
import { readLedgerAddress } from '../ledger/supported-databases.ts';
import { readStoreAddress } from '../store/open-store.ts';
import { VoxbatchError } from './problem.ts';

/** Where a user's records are, and how to reach Temporal. */
export interface Settings {
  /** Folder of the embedded Temporal database, and of ledger and store unless they are elsewhere. Absolute. */
  readonly home: string;
  /** Address of the ledger, as `ledger/supported-databases.ts` reads them; a path is absolute. */
  readonly ledger: string;
  /** True if the user named the place of the ledger; false: it is found in the working folder, which may be somebody else's. */
  readonly isLedgerNamed: boolean;
  /** Address of the store, as `store/open-store.ts` reads them; a path is absolute. */
  readonly store: string;
  /** Called if the ledger has the layout of an earlier version and was read into the present one. `kept`: where the former one is. Default: does nothing. */
  readonly onImported?: (ledger: string, kept: string) => void;
  /** Prices, limits and defaults, as in `voxbatch.config.json`. */
  readonly config: Config;
  /** A Temporal cluster; undefined: the embedded server of the home. */
  readonly cluster: ClusterSettings | undefined;
  /** Environment of the embedded server and of the search for its binary. No setting is read from it here. */
  readonly env: NodeJS.ProcessEnv;
}

/** A certificate or key: the path of a file, or what stands in it. */
type Pem = { path: string } | { data: string | Uint8Array };

/**
 * How to reach a cluster: the form of `ClientConfigProfile` of `@temporalio/envconfig`, with which the compiler compares it where one is used
 * as the other. That type itself would bring Temporal's declarations into every program that uses the library.
 */
interface ClusterSettings {
  address?: string;
  namespace?: string;
  apiKey?: string;
  tls?: { disabled?: boolean; serverName?: string; clientCert?: Pem; clientKey?: Pem; serverCACert?: Pem };
  grpcMeta?: Record<string, string>;
}

/** How the API is reached, and read. The token is never printed and never stored. */
export interface ApiAccess {
  /** Ends in `/api/open/v1`. */
  readonly baseUrl: string;
  readonly token: string;
  /** Where its jobs have the link to their result, besides the names that are known. */
  readonly resultMembers?: readonly string[];
}

/** An impossible address of a ledger or store. */
export interface RefusedAddress {
  readonly of: 'ledger' | 'store';
  readonly expected: string;
  /** The value that was given; of a URL only the scheme. */
  readonly came: string;
}

/**
 * Makes the operations of a configuration, or of a batch on record (`of`: its name), known to this process. Throws {@link VoxbatchError}
 * (`bad-config`).
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

/** The address of an API as it is used and recorded. Throws an error that says what is wrong with it. */
export function apiAddress(url: string): string {
  return readBaseUrl(url).baseUrl;
}

/** Paths of ledger and store: as given, else in the home; absolute. `refuse` throws. */
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
