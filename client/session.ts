import type { Ledger } from '../ledger/ledger.ts';
import type { OpenOptions } from '../ledger/open-ledger.ts';
import type { Store } from '../store/store.ts';
import { refuseOtherUser } from '../embedded/private-home.ts';
import { wrapMachineFaults, requireLargeFiles } from './machine-faults.ts';
import { connectApi, type ConnectedApi } from './connect-api.ts';
import { withOutageReports, type WaitingRules } from './status/report-outages.ts';
import { openRecords } from './open-records.ts';
import { claimStore } from './claim-store.ts';
import type { ApiAccess, Settings } from './settings.ts';

/** Conditions for using a ledger. */
interface Admission {
  /** Called with the ledger before it is used; rejects to deny access. Default: always allowed. */
  readonly admit?: ((ledger: Ledger) => Promise<void>) | undefined;
  /** How to wait while the ledger's database does not answer. Default: outages are not reported. */
  readonly waiting?: WaitingRules | undefined;
}

/** How to open a session's resources. */
export interface SessionRequest extends Admission {
  readonly settings: Settings;
  /** Returns the API's URL and token; called when first needed. */
  readonly access: () => ApiAccess | Promise<ApiAccess>;
  /** Options for opening the ledger. */
  readonly ledger: OpenOptions;
}

/**
 * Resources shared by all calls on one ledger: the ledger, the store and the API. Each is opened on first use, retried
 * if that failed, and closed with the session.
 */
export class Session {
  readonly settings: Settings;
  /** Returns the API's URL and token. */
  readonly access: () => ApiAccess | Promise<ApiAccess>;
  /** Opens the ledger. Throws {@link VoxbatchError} (`no-ledger`, `machine`, `small-files`). */
  readonly ledger: () => Promise<Ledger>;
  /** Opens the store. Throws {@link VoxbatchError} (`store-missing`, `store-of-another`, `other-store`, `machine`). */
  readonly store: () => Promise<Store>;
  /**
   * Opens the API and reads the profile. Spends nothing. Throws {@link VoxbatchError} (`odd-token`, `odd-proxy`,
   * `token-refused`, `api-away`).
   */
  readonly api: () => Promise<ConnectedApi>;
  /** Closers of the open resources, run in reverse order. */
  readonly #closings: (() => Promise<void> | void)[] = [];
  #isClosed = false;

  constructor({ settings, access, ledger, admit, waiting }: SessionRequest) {
    this.settings = settings;
    this.access = access;
    this.ledger = this.#part(
      async () => {
        // The ledger of a session that works on batches has a thread. Such a session checks the home's owner before
        // anything is written there; otherwise that would happen only when the server starts.
        if (ledger.thread === true) {
          requireLargeFiles();
          await wrapMachineFaults(() => {
            refuseOtherUser(settings.home);
          });
        }
        return openAdmitted(settings, ledger, { admit, waiting });
      },
      (opened) => opened.close(),
    );
    this.store = this.#part(
      async () => claimStore(settings, await this.ledger()),
      (opened) => opened.close(),
    );
    this.api = this.#part(
      async () => connectApi(await access()),
      ({ api }) => {
        api.close();
      },
    );
  }

  /** Closes everything. Nothing can be opened afterwards. */
  async close(): Promise<void> {
    this.#isClosed = true;
    for (let end = this.#closings.pop(); end !== undefined; end = this.#closings.pop()) await end();
  }

  /** Returns a function that opens a resource on its first call. */
  #part<T>(open: () => Promise<T>, close: (part: T) => Promise<void> | void): () => Promise<T> {
    let opening: Promise<T> | undefined;
    const begin = async (): Promise<T> => {
      if (this.#isClosed) throw new Error('It is closed: nothing more can be asked of it.');
      try {
        const part = await open();
        this.#closings.push(() => close(part));
        return part;
      } catch (error) {
        opening = undefined;
        throw error;
      }
    };
    return () => (opening ??= begin());
  }
}

/** Opens the ledger as {@link openRecords} does, but closes it again if `admit` rejects. */
async function openAdmitted(settings: Settings, options: OpenOptions, { admit, waiting }: Admission): Promise<Ledger> {
  // If there is an `admit`, it rejects a ledger that accepts no work, so that need not be reported here as well.
  const opened = await openRecords(
    admit === undefined ? settings : { ...settings, onReadOnly: () => undefined },
    options,
  );
  const ledger = waiting === undefined ? opened : withOutageReports(opened, waiting);
  try {
    await admit?.(ledger);
    return ledger;
  } catch (error) {
    await ledger.close();
    throw error;
  }
}
