import type { BatchSettings } from '../contract/batch.ts';
import type { Tunables, Tuning } from '../contract/tunables.ts';
import { applyTuning } from '../policy/tuning.ts';
import { requireBatch } from './batches.ts';
import type { Intent } from './charge-methods.ts';
import type { Sums } from './sums.ts';
import type { Db, RowLine } from './schema.ts';
import { write } from './transactions.ts';

/**
 * The budget of a batch. The transaction that records an intent checks it, so any number of workers together never exceed it, provided
 * that the API charges what was quoted.
 *
 * The committed sum has three parts: what was charged, the quotes of unknown requests and of requests in flight, and what started rows
 * need for their later steps and, if they are spoken in parts, for their unsent parts. So no row is left half paid.
 */

/** Whether a request may be made: `later` if it fits once a request in flight turns out to be free. */
export type Room = 'room' | 'later' | 'none';

/** Binary fractions must not make 0.1 + 0.2 exceed 0.3. */
export const DUST = 1e-6;

export function roomFor(sums: Sums, row: RowLine, budget: number, intent: Intent): Room {
  if (intent.quoted === null || intent.quotedRest === null) return 'none';
  const { settled, onTheWire } = committed(sums, row);
  const needs = settled + intent.quoted + intent.quotedRest;
  if (needs > budget + DUST) return 'none';
  return needs + onTheWire > budget + DUST ? 'later' : 'room';
}

/**
 * What the batch has spent or may have spent; `onTheWire` may still turn out to be free. Without what is reserved for
 * this row.
 */
export function committed(sums: Sums, row: RowLine): { settled: number; onTheWire: number } {
  const others = sums.promised - (row.outcome === null ? row.promised : 0);
  return { settled: sums.charged + sums.unknown_quoted + others, onTheWire: sums.sending_quoted };
}

/** See {@link Ledger.tune}. */
export async function tune(db: Db, batch: string, tuning: Tuning): Promise<Tunables> {
  return write(db, async (tx) => {
    const { settings } = await requireBatch(tx, batch);
    const tuned = applyTuning(settings, tuning);
    const changed: BatchSettings = { ...settings, ...tuned };
    await tx
      .updateTable('batches')
      .set({ settings: JSON.stringify(changed) })
      .where('name', '=', batch)
      .execute();
    return tuned;
  });
}
