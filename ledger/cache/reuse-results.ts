import { readBatchLine } from '../batches/read-batches.ts';
import { ofAttempt } from '../conditions.ts';
import { attemptKeyOf, type AttemptKey } from '../../contract/batch.ts';
import type { Failure } from '../../contract/failures.ts';
import { operationOf, type TtsMode } from '../../contract/row-kinds.ts';
import type { Judgement } from '../../contract/verify.ts';
import { isLastStep } from '../../policy/rows/row-machine.ts';
import { applyEffect } from '../rows/endings.ts';
import { findBlocking } from '../requests/intents.ts';
import { prepared } from '../database/prepared.ts';
import type { RowSnapshot } from '../rows/row-records.ts';
import { jsonOrNull, type ResultFile } from '../records.ts';
import { toSettings } from '../batches/batch-records.ts';
import { sourceOf, type ResultRecord } from './found-results.ts';
import { forgetResult, forgetUnfit, keepResult } from './kept-results.ts';
import type { RowEffect } from '../rows/row-effects.ts';
import { RowInTransaction } from '../rows/row-in-transaction.ts';
import type { Db } from '../schema.ts';
import { write } from '../database/transactions.ts';

/*
 * Reuses results of earlier rows instead of sending requests. A row that does so costs nothing.
 */

/** An earlier result to record in place of a request. */
export interface ResultUse {
  readonly result: ResultRecord;
  /** The row's own copies of its files. */
  readonly file: ResultFile;
  readonly extraFiles: readonly ResultFile[];
  /** Credits the row would have cost up to this step without it; null if unknown. */
  readonly saved: number | null;
  /** The worker process. */
  readonly owner: string;
  /** The caller's fencing token for the row; omitted: not checked. */
  readonly fence?: number;
  /** For a verification: the result of the comparison with the text, why it did not pass, and the consequence. */
  readonly judgement?: Judgement;
  readonly failure?: Failure;
  readonly effect?: RowEffect;
}

/** Records the use of a result, and returns its key if it is still on record. */
const touch = prepared((db, given: AttemptKey & { now: number }) =>
  db.updateTable('results').set({ used_at: given.now }).where(ofAttempt(given)).returning('key'),
);

/**
 * Records an earlier result in place of a request, as a free attempt in state `cached`. For the last step of the row's
 * kind, whose result is the row's, the row ends `cached`, even if earlier steps were never made. Not `used`, and
 * without any change, if the result is no longer on record, the batch does not run, or the row needs neither this
 * attempt nor one of an earlier step.
 */
export async function useResult(
  db: Db,
  key: AttemptKey,
  use: ResultUse,
): Promise<{ readonly used: boolean } & RowSnapshot> {
  return write(db, async (tx) => {
    const row = await RowInTransaction.load(tx, key);
    const tts = await ttsIfUsable(row, key, use);
    return { used: tts !== undefined && (await recordUse(row, key, use, tts)), ...row.snapshot() };
  });
}

/** Returns the TTS mode of the row's batch; undefined if the row cannot use the result now. */
async function ttsIfUsable(row: RowInTransaction, key: AttemptKey, { fence }: ResultUse): Promise<TtsMode | undefined> {
  const { line, next } = row;
  if (next.type !== 'submit' || line.take !== key.take || (fence ?? line.hold) !== line.hold) return undefined;
  if (next.at.step !== key.step && !isLastStep(row.spec, key.step)) return undefined;
  if (findBlocking(row.chargesOf(key.step), key) !== undefined) return undefined;
  const { state, control, settings } = await readBatchLine(row.tx, key.batch);
  return state === 'open' && control === 'running' ? toSettings(settings).tts : undefined;
}

/** Returns false, without any change, if the result is no longer on record. */
async function recordUse(row: RowInTransaction, key: AttemptKey, use: ResultUse, tts: TtsMode): Promise<boolean> {
  const { result, file, extraFiles, owner } = use;
  const now = row.tx.now();
  const [known] = await touch(row.tx, { ...result, now });
  if (known?.key !== result.key) return false;
  const charge = await row.addCharge({
    ...attemptKeyOf(key),
    owner,
    from_take: row.sourceOf(key.step),
    // Needed if its file is lost: it counts as a running job of this operation while the original job is read again.
    operation: operationOf(row.spec, key.step, tts),
    state: 'cached',
    quoted: use.saved,
    intent_at: now,
    verdict_at: now,
    finished_at: now,
    file: JSON.stringify(file),
    result_key: result.key,
    source: JSON.stringify(sourceOf(result, 'used')),
    failure: jsonOrNull(use.failure),
    judgement: jsonOrNull(use.judgement),
  });
  await forgetUnfit(row, charge);
  const { text } = result;
  const ending = { outcome: 'cached', file, extraFiles, ...(text === null ? {} : { text }) } as const;
  const isEnd = isLastStep(row.spec, key.step);
  await keepResult(row.tx, charge, { extraFiles, text, jobId: result.jobId, credits: result.credits });
  await applyEffect(row, use.effect ?? (isEnd ? ending : { state: 'waiting' }));
  return true;
}

/** Removes a result from the cache whose file is missing or altered. The row that made it keeps it. */
export async function dropResult(db: Db, of: AttemptKey): Promise<void> {
  await write(db, (tx) => forgetResult(tx, of));
}

/**
 * Revokes a `cached` attempt whose result a later step cannot use, so that the next attempt is made. No effect on any
 * other attempt.
 */
export async function revokeCached(db: Db, key: AttemptKey): Promise<RowSnapshot> {
  return write(db, async (tx) => {
    const row = await RowInTransaction.load(tx, key);
    const charge = row.chargeAt(key);
    const isOpen = row.line.outcome === null && row.line.take === key.take;
    if (charge?.state === 'cached' && isOpen) await row.changeCharge(charge, { state: 'revoked', file: null });
    return row.snapshot();
  });
}
