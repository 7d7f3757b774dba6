import { join } from 'node:path';
import type { ClientConfigProfile } from '@temporalio/envconfig';
import type { Config } from '../inputs/config-file.ts';
import { readLedgerAddress } from '../ledger/databases.ts';
import { readStoreAddress } from '../store/open-store.ts';

/** Where the records of a user lie, and how Temporal is reached. */
export interface Settings {
  /** Folder of the embedded Temporal database, and of ledger and store unless they are elsewhere. Absolute. */
  readonly home: string;
  /** Address of the ledger, as `ledger/databases.ts` reads them; a path is absolute. */
  readonly ledger: string;
  /** Address of the store, as `store/open-store.ts` reads them; a path is absolute. */
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

/** An address that a ledger or a store cannot have. */
export interface RefusedAddress {
  readonly of: 'ledger' | 'store';
  readonly expected: string;
  /** What was given; of a URL its scheme alone. */
  readonly came: string;
}

/** Where ledger and store lie: where it is said, else in the home, an absolute path. `refuse` throws. */
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
