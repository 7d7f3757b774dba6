import { sql } from 'kysely';
import type { Operation, Step } from '../../contract/row-kinds.ts';
import { countedFor, sizeOf, type ChargeRatio, isChargeKnown } from '../../policy/money/charge-ratio.ts';
import { knownRatios } from './charge-ratios.ts';
import { isUnpriced, isUnresolved } from '../conditions.ts';
import { prepared } from '../database/prepared.ts';
import type { Db, Tx } from '../schema.ts';
import { findBatch } from '../batches/read-batches.ts';

/** What the open requests of a batch come to, in credits. A job that is read again is none of them if its price is known: it was paid for long ago. */
export interface OpenRequests {
  /** Requests whose end is awaited: it changes the sums, and will come. */
  readonly awaited: number;
  /** What those may be charged beyond what counts for them, at the worst that is known of their operations. */
  readonly beyond: number;
  /** The same of requests whose end may never be known: in doubt, or a job that nobody waits for any longer. */
  readonly beyondLost: number;
}

/** Requests of one operation whose quotes are of the same size as this one, in credits. */
export interface RequestsAlike {
  readonly operation: Operation;
  readonly quoted: number;
}

const selectOpen = prepared((db, { batch }: { batch: string }) => {
  const of = (condition: typeof isUnresolved) =>
    db
      .selectFrom('charges as c')
      // The other way round, a batch of a million rows is read from its beginning.
      .crossJoin('rows as r')
      .select(['c.operation', 'c.quoted', 'c.charged'])
      .select(
        sql<0 | 1>`case when c.state <> 'unknown' and r.outcome is null and r.take = c.take then 1 else 0 end`.as(
          'is_awaited',
        ),
      )
      .where('c.batch', '=', batch)
      .where(condition('c'))
      .whereRef('r.batch', '=', 'c.batch')
      .whereRef('r.row', '=', 'c.row');
  return of(isUnresolved).unionAll(of(isUnpriced));
});

/** The open requests of a batch: all of them, or those alike. Reads them by the indexes of such. */
export async function openRequestsOf(tx: Db | Tx, batch: string, alike?: RequestsAlike): Promise<OpenRequests> {
  const ratios = await knownRatios(tx, batch);
  const sums = { awaited: 0, beyond: 0, beyondLost: 0 };
  for (const { operation, quoted, charged, is_awaited } of await selectOpen(tx, { batch })) {
    const isAlike = operation === alike?.operation && sizeOf(quoted ?? 0) === sizeOf(alike.quoted);
    if (alike !== undefined && !isAlike) continue;
    const own: readonly ChargeRatio[] = ratios.filter((one) => one.operation === operation);
    // Of an operation that is not under a budget yet, no more is known than its quote.
    const beyond = Math.max(0, countedFor(quoted ?? 0, [own]) - (charged ?? quoted ?? 0));
    if (is_awaited === 1) {
      sums.awaited += 1;
      sums.beyond += beyond;
    } else sums.beyondLost += beyond;
  }
  return sums;
}

/** What open and further requests of a batch may cost. */
export interface ChargeOutlook {
  /** What was charged beside the quotes, by operation and size; none for those that were not sent under a budget. */
  readonly ratios: readonly (ChargeRatio & { readonly operation: Operation })[];
  /** What requests whose charge may never be known may have cost beyond what counts for them, in credits. */
  readonly beyondLost: number;
}

/**
 * Steps of which few requests go at once, until one has told what the API charges: the batch has a budget, and their
 * prices are estimates.
 */
export async function untoldSteps(db: Db, batch: string): Promise<readonly Step[]> {
  const found = await findBatch(db, batch);
  if (found?.state !== 'open' || found.settings.budget === null) return [];
  const { prices } = found.settings;
  const lines = await knownRatios(db, batch);
  const begun = lines.filter(({ operation }) => prices[operation].estimate);
  const untold = begun.filter(({ operation }) => !isChargeKnown(lines.filter((line) => line.operation === operation)));
  return [...new Set(untold.map(({ step }) => step))].toSorted();
}

/** What requests of the batch may cost, by what was charged under a budget so far. */
export async function chargeOutlook(db: Db, batch: string): Promise<ChargeOutlook> {
  const ratios = await knownRatios(db, batch);
  const { beyondLost } = await openRequestsOf(db, batch);
  return { ratios, beyondLost };
}
