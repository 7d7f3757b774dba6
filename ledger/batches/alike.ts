import type { Failure } from '../../contract/failures.ts';
import type { Step } from '../../contract/row-kinds.ts';
import { ACCEPTED_STATES } from '../../contract/outcomes.ts';
import { afterFailure, newWatch, type AlikeWatch } from '../../policy/lanes/alike.ts';
import { reasonOf } from '../../policy/rows/failure-reason.ts';
import { tellPause } from '../notices/notices.ts';
import { toBatch } from '../records.ts';
import type { Tx } from '../schema.ts';

/** A paid row that failed, or is about to. */
export interface BadRow {
  readonly row: number;
  readonly failure: Failure;
  /** Set if this is not the row's last step: then results of this step count too. */
  readonly step?: Step;
}

/**
 * Pauses a batch whose first paid rows have all failed with one class of failure, if any row is left that still costs
 * money. Runs in the transaction that records the failure, so it holds across all processes. Costs nothing once a row
 * had a result.
 */
export async function pauseIfAlike(tx: Tx, batch: string, bad: BadRow): Promise<void> {
  const { row, failure } = bad;
  const line = await tx.selectFrom('batches').selectAll().where('name', '=', batch).executeTakeFirstOrThrow();
  const before = toWatch(line.watch);
  if (before.is !== 'on' || line.control !== 'running' || !(await isPaid(tx, batch, row, before.since))) return;
  const watch = afterFailure(before, { row, reason: failure.class }, await hasResult(tx, batch, bad, before.since));
  if (watch === before) return;
  const isDue = watch.is === 'due' && (await costsMore(tx, batch));
  const reason: Failure = { ...failure, message: wordsOf(watch, failure) };
  await tx
    .updateTable('batches')
    .set({
      watch: JSON.stringify(watch),
      ...(isDue ? { control: 'paused', pause_reason: JSON.stringify(reason) } : {}),
    })
    .where('name', '=', batch)
    .execute();
  if (isDue) await tellPause(tx, toBatch(line), reason);
}

/**
 * The watch starts over when a person lets the batch continue. Rows that were paid for before do not count, whenever they
 * end: they say nothing about what that person has changed, and pausing again would spare nothing of them.
 */
export function watchFrom(since: number): string {
  return JSON.stringify(newWatch(since));
}

function toWatch(json: string | null): AlikeWatch {
  return json === null ? newWatch(null) : (JSON.parse(json) as AlikeWatch);
}

/** Without the money: requests in flight are still paid for, so a recorded figure would soon be too low. */
function wordsOf({ rows }: AlikeWatch, failure: Failure): string {
  return `the first ${rows.length} paid rows all failed (${failure.class}), the last one because: ${reasonOf(failure)}`;
}

/** Whether the row was paid for since then. */
async function isPaid(tx: Tx, batch: string, row: number, since: number | null): Promise<boolean> {
  const found = await tx
    .selectFrom('charges')
    .select('row')
    .where('batch', '=', batch)
    .where('row', '=', row)
    .where('intent_at', '>=', since ?? 0)
    .where('state', 'in', [...ACCEPTED_STATES, 'unknown'])
    .limit(1)
    .executeTakeFirst();
  return found !== undefined;
}

/** Whether a row that was paid for since then has a result. */
async function hasResult(tx: Tx, batch: string, { step }: BadRow, since: number | null): Promise<boolean> {
  let query = tx.selectFrom('rows').select('row').where('batch', '=', batch).where('outcome', '=', 'succeeded');
  if (since !== null) {
    query = query
      .where('ended_at', '>=', since)
      .where((eb) =>
        eb.exists(
          eb
            .selectFrom('charges')
            .select('charges.row')
            .whereRef('charges.batch', '=', 'rows.batch')
            .whereRef('charges.row', '=', 'rows.row')
            .where('charges.intent_at', '>=', since),
        ),
      );
  }
  if ((await query.limit(1).executeTakeFirst()) !== undefined) return true;
  if (step === undefined) return false;
  const stored = await tx
    .selectFrom('charges')
    .select('row')
    .where('batch', '=', batch)
    .where('state', '=', 'accepted')
    .where('step', '=', step)
    .where('file', 'is not', null)
    .where('intent_at', '>=', since ?? 0)
    .limit(1)
    .executeTakeFirst();
  return stored !== undefined;
}

/** Whether any row still has a step to pay for. */
async function costsMore(tx: Tx, batch: string): Promise<boolean> {
  const found = await tx
    .selectFrom('rows')
    .select('row')
    .where('batch', '=', batch)
    .where('outcome', 'is', null)
    .where('state', '=', 'waiting')
    .limit(1)
    .executeTakeFirst();
  return found !== undefined;
}
