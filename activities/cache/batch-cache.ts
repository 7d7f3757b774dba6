import { ApplicationFailure } from '@temporalio/common';
import { addOperations, OwnOperationError } from '../../contract/own-operations/own-operation-rules.ts';
import { realmDifference, type Realm } from '../../contract/names.ts';
import type { BatchRecord } from '../../ledger/batches/batch-records.ts';
import type { Ledger } from '../../ledger/ledger.ts';

interface CachedRead {
  /** When the read began, monotonic ms. */
  readonly at: number;
  readonly record: Promise<BatchRecord | undefined>;
}

/**
 * Caches this process's latest reads of batch records. Work on a row reads its batch several times, and a record a
 * fraction of a second old is good enough: anything that must not be late (a pause, the budget) is checked again in the
 * transaction that records each request before it is sent (its intent).
 */
export class BatchCache {
  readonly #ledger: Pick<Ledger, 'findBatch'>;
  readonly #maxAgeMs: number;
  readonly #reads = new Map<string, CachedRead>();

  /** `maxAgeMs`: maximum age of a record that is handed out, ms. */
  constructor(ledger: Pick<Ledger, 'findBatch'>, maxAgeMs = 200) {
    this.#ledger = ledger;
    this.#maxAgeMs = maxAgeMs;
  }

  /** Reads the record of a batch; undefined if there is no such batch. Rejects if the ledger does. */
  read(name: string): Promise<BatchRecord | undefined> {
    const cached = this.#reads.get(name);
    if (cached !== undefined && performance.now() - cached.at < this.#maxAgeMs) return cached.record;
    const record = this.#ledger.findBatch(name);
    this.#reads.set(name, { at: performance.now(), record });
    // Never cache a failed read.
    record.catch(() => this.#reads.delete(name));
    return record;
  }
}

/** Thrown if this worker's ledger has no such batch. */
export class BatchMissing extends Error {
  readonly batch: string;

  constructor(batch: string) {
    super(`The ledger of a worker has no batch "${batch}". Nothing was sent.`);
    this.name = 'BatchMissing';
    this.batch = batch;
  }
}

/**
 * Returns the record of a batch, at most a fraction of a second old. Throws {@link BatchMissing} if there is none, and
 * a failure that Temporal does not retry if the batch belongs to another realm (API and account) than this worker, or
 * defines an operation of its own differently. Task queues keep realms apart already, but a worker that holds a token
 * checks again before it spends anything.
 */
export async function loadBatch(
  { batches, realm }: { readonly batches: BatchCache; readonly realm: Realm },
  name: string,
): Promise<BatchRecord> {
  const batch = await batches.read(name);
  if (batch === undefined) {
    throw new BatchMissing(name);
  }
  if (realmDifference(batch, realm) !== undefined) {
    throw ApplicationFailure.nonRetryable(
      `Batch "${name}" belongs to another API or account than this worker. Nothing was sent.`,
      'WrongRealm',
    );
  }
  try {
    addOperations(batch.settings.operations ?? []);
  } catch (error) {
    if (!(error instanceof OwnOperationError)) throw error;
    throw ApplicationFailure.nonRetryable(
      `Batch "${name}" was made with another operation "${error.operation}" than this worker knows. Nothing was sent.`,
      'OtherOperation',
    );
  }
  return batch;
}
