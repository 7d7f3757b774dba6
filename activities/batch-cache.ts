import { ApplicationFailure } from '@temporalio/common';
import { realmDifference, type Realm } from '../contract/names.ts';
import type { BatchRecord } from '../ledger/record-types.ts';
import type { Ledger } from '../ledger/ledger.ts';

interface Known {
  readonly at: number;
  readonly record: Promise<BatchRecord | undefined>;
}

/**
 * The records of batches as this process last read them. Everything that works on a row asks for its batch several times, and a record
 * that is a fraction of a second old will do: what must not be late (the wish to pause, the budget) is looked at once more in the
 * transaction of each intent.
 */
export class BatchCache {
  readonly #ledger: Pick<Ledger, 'findBatch'>;
  readonly #maxAgeMs: number;
  readonly #known = new Map<string, Known>();

  /** `maxAgeMs`: how old a record may be that is handed out. Default 200. */
  constructor(ledger: Pick<Ledger, 'findBatch'>, maxAgeMs = 200) {
    this.#ledger = ledger;
    this.#maxAgeMs = maxAgeMs;
  }

  /** The record of a batch, if there is such a batch. Rejects as the ledger does. */
  read(name: string): Promise<BatchRecord | undefined> {
    const known = this.#known.get(name);
    if (known !== undefined && performance.now() - known.at < this.#maxAgeMs) return known.record;
    const record = this.#ledger.findBatch(name);
    this.#known.set(name, { at: performance.now(), record });
    // A failed read is no answer for the next who asks.
    record.catch(() => this.#known.delete(name));
    return record;
  }
}

/**
 * Gives a batch as this process last read it, a fraction of a second ago at most, and makes sure that it is this worker's business: the
 * task queue already keeps realms apart, but a worker that holds a token checks again before it spends anything.
 */
export async function loadBatch(
  { batches, realm }: { readonly batches: BatchCache; readonly realm: Realm },
  name: string,
): Promise<BatchRecord> {
  const batch = await batches.read(name);
  if (batch === undefined) {
    throw ApplicationFailure.nonRetryable(`The ledger has no batch "${name}". Nothing was sent.`, 'BatchMissing');
  }
  if (realmDifference(batch, realm) !== undefined) {
    throw ApplicationFailure.nonRetryable(
      `Batch "${name}" belongs to another API or account than this worker. Nothing was sent.`,
      'WrongRealm',
    );
  }
  return batch;
}
