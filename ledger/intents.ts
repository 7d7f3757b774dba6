import type { AttemptKey } from '../contract/batch.ts';
import { requireBatch } from './batches.ts';
import { roomFor, skip } from './budgets.ts';
import { chargesOfStep } from './charges.ts';
import { LedgerMisuse } from './errors.ts';
import type { Intent, IntentAnswer } from './ledger.ts';
import type { ChargeRecord, RowStanding } from './record-types.ts';
import { toCharge } from './records.ts';
import { standingOf } from './rows.ts';
import { write, type Db, type RowLine, type Tx } from './schema.ts';

/**
 * The lock on money: nobody sends a paid request without having created its record here, and each record is created once.
 *
 * One write transaction looks at everything that may forbid the request, and makes the record only if nothing does. Writers
 * exclude each other for its whole length, so what it saw still holds when it commits. The commit is synced to disk before it
 * returns, so a record that allowed a request cannot get lost, not even in a power cut.
 */

/** Records the intent of an attempt. See {@link Ledger.intend}. */
export async function intend(db: Db, key: AttemptKey, intent: Intent): Promise<IntentAnswer & RowStanding> {
  return write(db, async (tx) => ({ ...(await intendInside(tx, key, intent)), ...(await standingOf(tx, key)) }));
}

async function intendInside(tx: Tx, key: AttemptKey, intent: Intent): Promise<IntentAnswer> {
  const batch = await requireBatch(tx, key.batch);
  const row = await requireRow(tx, key);
  // Asked first, also while the batch is paused: what is on record is the better answer.
  const charge = findBlocking(await chargesOfStep(tx, key), key);
  if (charge !== undefined) return { answer: 'exists', charge };
  if (batch.state !== 'open' || batch.control !== 'running' || row.outcome !== null) return { answer: 'held' };
  // An old history may ask for a take that is over, and a lane for a row that another has by now.
  if (row.take !== key.take || (intent.hold ?? row.hold) !== row.hold) return { answer: 'held' };
  if ((await countSending(tx, key.batch)) >= intent.maxSending) return { answer: 'full' };
  const { budget } = batch.settings;
  if (budget !== null) {
    const room = await roomFor(tx, row, budget, intent);
    if (room === 'later') return { answer: 'full' };
    if (room === 'none') {
      await skip(tx, row, budget, intent);
      return { answer: 'over-budget' };
    }
  }

  const now = Date.now();
  await tx
    .insertInto('charges')
    .values({
      ...keyColumns(key),
      state: 'sending',
      quoted: intent.quoted,
      link_hash: intent.linkHash ?? null,
      owner: intent.owner,
      intent_at: now,
    })
    .execute();
  await tx
    .updateTable('rows')
    .set({ state: 'submitting', promised: budget === null ? 0 : (intent.quotedRest ?? 0), updated_at: now })
    .where('batch', '=', key.batch)
    .where('row', '=', key.row)
    .execute();
  if (batch.startedAt === null) {
    await tx.updateTable('batches').set({ started_at: now }).where('name', '=', key.batch).execute();
  }
  return { answer: 'go' };
}

/**
 * Spends the key without sending, if nobody has used it yet. Returns the record that stands: the new one, the one
 * that was there, or the one that forbids an attempt with this key anyway. See {@link Ledger.revoke}.
 */
export async function revoke(db: Db, key: AttemptKey): Promise<ChargeRecord> {
  return write(db, async (tx) => {
    await requireBatch(tx, key.batch);
    const row = await requireRow(tx, key);
    if (key.take > row.take) {
      // Its record would stand in the way of the take that the row is at.
      throw new LedgerMisuse(
        `Row ${key.row} of "${key.batch}" is at take ${row.take}; nobody made take ${key.take} of it. Nothing was recorded.`,
      );
    }
    const blocking = findBlocking(await chargesOfStep(tx, key), key);
    if (blocking !== undefined) return blocking;
    const now = Date.now();
    const line = await tx
      .insertInto('charges')
      .values({ ...keyColumns(key), state: 'revoked', owner: '', intent_at: now, verdict_at: now })
      .returningAll()
      .executeTakeFirstOrThrow();
    return toCharge(line);
  });
}

/**
 * The record that forbids an attempt with this key, if any:
 * one at this very key; a later one (this attempt belongs to the past); an earlier one of the take that may have been taken
 * by the API; one of an earlier take that is still on the wire; or the newest of the take, where an attempt in between is missing.
 */
export function findBlocking(charges: readonly ChargeRecord[], key: AttemptKey): ChargeRecord | undefined {
  const same = charges.find((charge) => charge.take === key.take && charge.attempt === key.attempt);
  if (same !== undefined) return same;
  const newest = charges.at(-1);
  if (newest !== undefined && (newest.take > key.take || (newest.take === key.take && newest.attempt > key.attempt))) {
    return newest;
  }
  const ofTake = charges.filter((charge) => charge.take === key.take);
  const open =
    ofTake.find((charge) => charge.state !== 'not-accepted' && charge.state !== 'revoked') ??
    charges.find((charge) => charge.state === 'sending');
  if (open !== undefined) return open;
  const last = ofTake.at(-1);
  if (key.attempt === (last?.attempt ?? 0) + 1) return undefined;
  if (last !== undefined) return last;
  throw new LedgerMisuse(
    `Attempt ${key.attempt} of take ${key.take} of ${key.step}, row ${key.row} of "${key.batch}" was asked for, ` +
      'but attempt 1 was never made. Nothing was recorded, and nothing may be sent.',
  );
}

async function requireRow(tx: Tx, key: AttemptKey): Promise<RowLine> {
  const row = await tx
    .selectFrom('rows')
    .selectAll()
    .where('batch', '=', key.batch)
    .where('row', '=', key.row)
    .executeTakeFirst();
  if (row === undefined) throw new LedgerMisuse(`Batch "${key.batch}" has no row ${key.row}.`);
  return row;
}

async function countSending(tx: Tx, batch: string): Promise<number> {
  const { n } = await tx
    .selectFrom('charges')
    .select((eb) => eb.fn.countAll<number>().as('n'))
    .where('batch', '=', batch)
    .where('state', '=', 'sending')
    .executeTakeFirstOrThrow();
  return n;
}

/** Just the key: callers may hand over a wider record. */
function keyColumns({ batch, row, step, take, attempt }: AttemptKey): AttemptKey {
  return { batch, row, step, take, attempt };
}
