import type { BatchSettings, Tunables, Tuning } from '../contract/batch.ts';
import type { Failure } from '../contract/failures.ts';
import { requireBatch } from './batches.ts';
import type { Intent } from './ledger.ts';
import { write, type Db, type RowLine, type Tx } from './schema.ts';

/**
 * The budget of a batch. It is asked in the transaction that records an intent, so any number of workers together never
 * exceed it, as far as quotes are what the API charges.
 *
 * Committed is: what was charged; quotes of requests on the wire and of unknown ones; and what rows that have begun need for
 * their later steps, so that no row is left half paid.
 */

/** Whether a request may be made: `later` if it fits as soon as one on the wire comes to nothing. */
export type Room = 'room' | 'later' | 'none';

/** Binary fractions must not make 0.1 + 0.2 exceed 0.3. */
const DUST = 1e-6;

export async function roomFor(tx: Tx, row: RowLine, budget: number, intent: Intent): Promise<Room> {
  if (intent.quoted === null || intent.quotedRest === null) return 'none';
  const { settled, onTheWire } = await committed(tx, row.batch, row.row);
  const needs = settled + intent.quoted + intent.quotedRest;
  if (needs > budget + DUST) return 'none';
  return needs + onTheWire > budget + DUST ? 'later' : 'room';
}

/** What the batch has spent or may have; `onTheWire` may still come to nothing. Without what this row itself was promised. */
async function committed(tx: Tx, batch: string, row: number): Promise<{ settled: number; onTheWire: number }> {
  const { charged } = await tx
    .selectFrom('batches')
    .select('charged')
    .where('name', '=', batch)
    .executeTakeFirstOrThrow();
  const quotes = async (state: 'sending' | 'unknown'): Promise<number> => {
    const sum = await tx
      .selectFrom('charges')
      .select((eb) => eb.fn.sum<number | null>('quoted').as('quoted'))
      .where('batch', '=', batch)
      .where('state', '=', state)
      .executeTakeFirstOrThrow();
    return sum.quoted ?? 0;
  };
  const others = await tx
    .selectFrom('rows')
    .select((eb) => eb.fn.sum<number | null>('promised').as('promised'))
    .where('batch', '=', batch)
    .where('outcome', 'is', null)
    .where('promised', '>', 0)
    .where('row', '!=', row)
    .executeTakeFirstOrThrow();
  return {
    settled: charged + (await quotes('unknown')) + (others.promised ?? 0),
    onTheWire: await quotes('sending'),
  };
}

/** Ends a row that does not fit, and all untouched ones that cost more than is left: there is no need to ask for each. */
export async function skip(tx: Tx, row: RowLine, budget: number, intent: Intent): Promise<void> {
  const { settled } = await committed(tx, row.batch, row.row);
  const cost = intent.quoted === null ? null : intent.quoted + (intent.quotedRest ?? 0);
  const spent = await chargedFor(tx, row);
  await endSkipped(tx, row.batch, whySkipped(budget, settled, cost, spent), (query) =>
    query.where('row', '=', row.row),
  );
  await endSkipped(tx, row.batch, whySkipped(budget, settled, null, 0), (query) =>
    query
      .where('state', '=', 'waiting')
      .where('take', '=', 1)
      .where('quoted', '>', budget - settled + DUST)
      .where((eb) =>
        eb.not(
          eb.exists(
            eb
              .selectFrom('charges')
              .select('charges.row')
              .whereRef('charges.batch', '=', 'rows.batch')
              .whereRef('charges.row', '=', 'rows.row'),
          ),
        ),
      ),
  );
}

/** What the row has cost so far, in all its steps and takes. */
async function chargedFor(tx: Tx, { batch, row }: RowLine): Promise<number> {
  const { charged } = await tx
    .selectFrom('charges')
    .select((eb) => eb.fn.sum<number | null>('charged').as('charged'))
    .where('batch', '=', batch)
    .where('row', '=', row)
    .executeTakeFirstOrThrow();
  return charged ?? 0;
}

function whySkipped(budget: number, spent: number, cost: number | null, charged: number): Failure {
  const costs = cost === null ? '' : `, this row costs ${round(cost)}`;
  const message = `Not sent: it would exceed the budget of ${round(budget)} credits (${round(spent)} spent or reserved${costs}). ${charged === 0 ? 'Nothing was charged.' : `The row has cost ${round(charged)} before.`}`;
  return { class: 'OverBudget', message };
}

type RowsUpdate = ReturnType<typeof openRows>;

function openRows(tx: Tx, batch: string, failure: Failure) {
  const now = Date.now();
  return tx
    .updateTable('rows')
    .set({ outcome: 'skipped', failure: JSON.stringify(failure), updated_at: now, ended_at: now })
    .where('batch', '=', batch)
    .where('outcome', 'is', null);
}

async function endSkipped(
  tx: Tx,
  batch: string,
  failure: Failure,
  narrow: (query: RowsUpdate) => RowsUpdate,
): Promise<void> {
  await narrow(openRows(tx, batch, failure)).execute();
}

/** See {@link Ledger.tune}. */
export async function tune(db: Db, batch: string, tuning: Tuning): Promise<Tunables> {
  return write(db, async (tx) => {
    const { settings } = await requireBatch(tx, batch);
    const { limits, ...rest } = tuning;
    const tuned: BatchSettings = { ...settings, ...rest, limits: { ...settings.limits, ...limits } };
    await tx
      .updateTable('batches')
      .set({ settings: JSON.stringify(tuned) })
      .where('name', '=', batch)
      .execute();
    return {
      limits: tuned.limits,
      budget: tuned.budget,
      halt: tuned.halt,
      onUnknown: tuned.onUnknown,
      retakes: tuned.retakes,
    };
  });
}

function round(credits: number): number {
  return Math.round(credits * 1e6) / 1e6;
}
