import type { Ledger } from '../../ledger/ledger.ts';
import type { ResultRecord } from '../../ledger/cache/found-results.ts';

/** One call of the ledger, shared by several callers. */
interface SharedLookUp {
  /** Keys of results to look for; complete once the call begins. */
  readonly keys: Set<string>;
  readonly found: Promise<ReadonlyMap<string, readonly ResultRecord[]>>;
}

/**
 * Looks up earlier results in the ledger. Calls of one turn of the event loop, such as those for the rows of one claim,
 * share one query, so a row without an earlier result costs no separate round trip.
 */
export class ResultLookUps {
  readonly #ledger: Pick<Ledger, 'findResults'>;
  #next: SharedLookUp | undefined;

  constructor(ledger: Pick<Ledger, 'findResults'>) {
    this.#ledger = ledger;
  }

  /** Finds the results with these keys. Returns them by key, the newest first. Rejects if the ledger does. */
  async find(keys: readonly string[]): Promise<ReadonlyMap<string, readonly ResultRecord[]>> {
    const lookUp = (this.#next ??= this.#begin());
    for (const key of keys) lookUp.keys.add(key);
    return lookUp.found;
  }

  #begin(): SharedLookUp {
    const keys = new Set<string>();
    const found = new Promise<void>((resolve) => setImmediate(resolve)).then(async () => {
      this.#next = undefined;
      const byKey = new Map<string, ResultRecord[]>();
      for (const result of await this.#ledger.findResults([...keys])) {
        byKey.set(result.key, [...(byKey.get(result.key) ?? []), result]);
      }
      return byKey;
    });
    return { keys, found };
  }
}
