import { readBatchLine } from '../batches/read-batches.ts';
import { setBatch } from '../batches/set-batch.ts';
import type { Selectable } from 'kysely';
import { attemptKeyOf, type AttemptKey, type BatchSettings } from '../../contract/batch.ts';
import { operationOf } from '../../contract/row-kinds.ts';
import { askBudget } from '../money/budget-room.ts';
import { LedgerMisuse } from '../errors.ts';
import type { Intent, IntentAnswer } from './intent-records.ts';
import { haltIfDue, haltIfSplitRowIsDue } from '../batches/halts.ts';
import { endOverBudget } from '../money/over-budget.ts';
import { reserve, unreservedBeside } from '../parts/part-budgets.ts';
import { type ChargeRecord, toCharge } from './charge-records.ts';
import type { RowSnapshot } from '../rows/row-records.ts';
import { makingOf, prefetchReusable, resultsOf } from '../cache/found-results.ts';
import { jsonOrNull } from '../records.ts';
import { toSettings } from '../batches/batch-records.ts';
import { RowInTransaction, type NewCharge } from '../rows/row-in-transaction.ts';
import type { ChargeLine, Db, Tx } from '../schema.ts';
import type { BatchesTable } from '../tables/batches.ts';
import { write } from '../database/transactions.ts';
import { readSums } from '../batches/counts.ts';

/*
 * Intents: no paid request is sent without a record that was created here, and each record is created once.
 *
 * One write transaction checks everything that may forbid the request, and creates the record only if nothing does.
 * Writers exclude each other for its whole length, so what it has read still holds when it commits. The commit is
 * synced to disk before it returns, so a record that allowed a request cannot get lost, not even in a power cut.
 */

/**
 * Records the intent of an attempt, and sets its row to `submitting`. Only the answer `go` permits sending; see {@link
 * IntentAnswer}. Also returns the row.
 */
export async function intend(db: Db, key: AttemptKey, intent: Intent): Promise<IntentAnswer & RowSnapshot> {
  return write(
    db,
    async (tx) => {
      const batch = await readBatchLine(tx, key.batch);
      const row = await RowInTransaction.load(tx, key);
      return { ...(await recordIntent(batch, row, key, intent)), ...row.snapshot() };
    },
    (tx) => [
      readBatchLine(tx, key.batch),
      readSums(tx, key.batch),
      ...RowInTransaction.prefetch(tx, key),
      ...(intent.resultKey === undefined ? [] : prefetchReusable(tx, intent.resultKey)),
    ],
  );
}

/** Does the same for a row already loaded. */
async function recordIntent(
  batch: Selectable<BatchesTable>,
  row: RowInTransaction,
  key: AttemptKey,
  intent: Intent,
): Promise<IntentAnswer> {
  const { tx, line } = row;
  // Checked first, even while the batch is paused: an existing record is the better answer.
  const charge = findBlocking(row.chargesOf(key.step), key);
  if (charge !== undefined) return { type: 'exists', charge: toCharge(charge) };
  if (batch.state !== 'open' || batch.control !== 'running' || line.outcome !== null) return { type: 'blocked' };
  if (line.state === 'blocked') return { type: 'blocked' };
  // A replayed history may ask for a take that is over, and a lane for a row that another lane now holds.
  if (line.take !== key.take || (intent.fence ?? line.hold) !== line.hold) return { type: 'blocked' };
  // A step may start only once the earlier ones have results; otherwise its price could leave them too little budget.
  const { next } = row;
  if (next.type === 'ended' || next.at.step !== key.step) return { type: 'blocked' };
  const settings = toSettings(batch.settings);
  const { budget, cache } = settings;
  // Checked here because a person may have changed it since the row began to wait for its turn.
  if (cache === 'only') return { type: 'cached', results: [] };
  const instead = await findInstead(tx, key, intent);
  if (instead !== undefined) return instead;
  const sums = await readSums(tx, key.batch);
  if (sums.sending >= intent.maxSending) return { type: 'full' };
  if (budget !== null) {
    const parts = await unreservedBeside(tx, line);
    const answer = await askBudget(row, { step: key.step, intent, sums, settings, budget, parts });
    const { room } = answer;
    // A row must not end while one of its own requests is in flight: nobody would settle that request.
    if (room === 'later' || room === 'charge-unknown' || (room === 'none' && row.isOnTheWire)) return { type: 'short' };
    if (room === 'none') {
      const isAgain = row.chargesOf(key.step).some(({ take }) => take < key.take);
      // With the cache on, other rows may be able to reuse earlier results; each finds out for itself.
      const ending = await endOverBudget(tx, line, { budget, mayBeFree: cache === 'on', isAgain, answer }, intent);
      await haltIfDue(tx, key.batch, key.row, ending);
      await haltIfSplitRowIsDue(tx, line);
      await row.readAgain();
      return { type: 'over-budget' };
    }
    await reserve(tx, key.batch, parts);
  }

  const now = tx.now();
  await row.addCharge(chargeOfIntent(row, key, intent, settings, now));
  const promised = budget === null ? 0 : (intent.quotedRest ?? 0);
  await row.change({ state: 'submitting', promised, updated_at: now });
  if (batch.started_at === null) {
    await setBatch(tx, key.batch, { started_at: now });
  }
  return { type: 'go' };
}

/** Returns the record of an attempt that is about to be sent. `at`: ms. */
export function chargeOfIntent(
  row: RowInTransaction,
  key: AttemptKey,
  intent: Intent,
  { tts }: Pick<BatchSettings, 'tts'>,
  at: number,
): NewCharge {
  return {
    ...attemptKeyOf(key),
    from_take: row.sourceOf(key.step),
    operation: operationOf(row.spec, key.step, tts),
    state: 'sending',
    quoted: intent.quoted,
    link_hash: intent.linkHash ?? null,
    name_free: intent.nameWasFree === undefined ? null : intent.nameWasFree ? 1 : 0,
    owner: intent.owner,
    intent_at: at,
    result_key: intent.resultKey ?? null,
    source: jsonOrNull(intent.source),
    damaged: intent.source === undefined ? 0 : 1,
  };
}

/** Returns what makes the request unnecessary: earlier results, or another row's identical request. */
async function findInstead(tx: Tx, key: AttemptKey, { resultKey, reuse }: Intent): Promise<IntentAnswer | undefined> {
  if (resultKey === undefined || reuse === undefined) return undefined;
  const results = await resultsOf(tx, resultKey);
  if (results.length > 0) return { type: 'cached', results };
  const by = await makingOf(tx, resultKey, key, reuse.passOver);
  return by === undefined ? undefined : { type: 'awaited', by };
}

/**
 * Revokes an attempt that may never have been recorded: creates its record as `revoked` if there is none, so that it
 * can never be sent. Returns the resulting record: the new one, the existing one, or the one that forbids an attempt
 * with this key anyway.
 */
export async function revoke(db: Db, key: AttemptKey): Promise<ChargeRecord> {
  return write(db, async (tx) => {
    await readBatchLine(tx, key.batch);
    const row = await RowInTransaction.load(tx, key);
    if (key.take > row.line.take) {
      // Its record would block the row's current take.
      throw new LedgerMisuse(
        `Row ${key.row} of "${key.batch}" is at take ${row.line.take}; nobody made take ${key.take} of it. Nothing was recorded.`,
      );
    }
    const blocking = findBlocking(row.chargesOf(key.step), key);
    if (blocking !== undefined) return toCharge(blocking);
    const now = tx.now();
    // No owner: no process sends it.
    const line = { ...attemptKeyOf(key), state: 'revoked', owner: '', intent_at: now, verdict_at: now } as const;
    return toCharge(await row.addCharge(line));
  });
}

/**
 * Returns the record that forbids an attempt with this key, if any: one with this very key; a later one; an earlier one
 * of the take that the API may have accepted; one of an earlier take that is still in flight; or the newest of the
 * take, if an attempt in between is missing. `charges`: all attempts of the step, oldest first. Throws {@link
 * LedgerMisuse} for an attempt after the first if there is none of its take.
 */
export function findBlocking(charges: readonly ChargeLine[], key: AttemptKey): ChargeLine | undefined {
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
