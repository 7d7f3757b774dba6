import type { Ledger } from '../../ledger/ledger.ts';
import type { ResultRecord } from '../../ledger/cache/found-results.ts';

interface Asked {
  readonly keys: Set<string>;
  readonly found: Promise<ReadonlyMap<string, readonly ResultRecord[]>>;
}

/**
 * Looks up earlier results in the ledger. Rows that ask at about the same time, such as those of one claim, share a
 * call, so a row without an earlier result costs no separate round trip.
 */
export class ResultLookUps {
  readonly #ledger: Pick<Ledger, 'findResults'>;
  #next: Asked | undefined;

  constructor(ledger: Pick<Ledger, 'findResults'>) {
    this.#ledger = ledger;
  }

  /** The results with these keys, by key, the newest first. Rejects as the ledger does. */
  async find(keys: readonly string[]): Promise<ReadonlyMap<string, readonly ResultRecord[]>> {
    const asked = (this.#next ??= this.#ask());
    for (const key of keys) asked.keys.add(key);
    return asked.found;
  }

  #ask(): Asked {
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
