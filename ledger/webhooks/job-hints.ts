import { readSnapshot, write } from '../database/transactions.ts';
import type { Db } from '../schema.ts';
import type { Account } from '../../contract/names.ts';

/*
 * Hints from webhooks: the process that receives an account's webhooks leaves a hint for the process that waits for the
 * job. A hint only means that the job should be read now, so a lost one costs time, never a row.
 */

/** Hints that were not read for this long are deleted with the next write, ms: their reader has died. */
const KEPT_MS = 60_000;

/** A hint. */
interface HintLine {
  readonly job_id: string;
  readonly heard_at: number;
}

/**
 * Leaves hints for other processes than `receiver` that wait for jobs. `words`: texts in a webhook that may be ids of
 * jobs; only those of jobs of this account that run or have just ended count. Returns the ids of the jobs with hints.
 * Writes nothing if there are none.
 */
export async function passHints(
  db: Db,
  { apiUrl, account }: Account,
  receiver: string,
  words: readonly string[],
): Promise<readonly string[]> {
  if (words.length === 0) return [];
  const found = await db
    .selectFrom('charges')
    .innerJoin('batches', 'batches.name', 'charges.batch')
    .innerJoin('rows', (join) => join.onRef('rows.batch', '=', 'charges.batch').onRef('rows.row', '=', 'charges.row'))
    .innerJoin('lanes', (join) => join.onRef('lanes.batch', '=', 'rows.batch').onRef('lanes.lane', '=', 'rows.lane'))
    .select(['lanes.owner', 'charges.job_id'])
    .where('charges.job_id', 'in', [...words])
    .where('charges.state', '=', 'accepted')
    // A poll that came first may have recorded the end already. Its process waits a moment for the webhook.
    .where((eb) => eb.or([eb('charges.finished_at', 'is', null), eb('charges.finished_at', '>', db.now() - KEPT_MS)]))
    .where('batches.api_url', '=', apiUrl)
    .where('batches.account', '=', account)
    // The receiver tells its own rows itself, and a released lane has no owner.
    .where('lanes.owner', 'not in', [receiver, ''])
    .execute();
  // Jobs of two operations, or of two equal requests, may have one id.
  const byKey = new Map(found.map(({ owner, job_id }) => [`${owner} ${String(job_id)}`, { owner, job_id }]));
  const hints = [...byKey.values()].flatMap(({ owner, job_id }) => (job_id === null ? [] : [{ owner, job_id }]));
  if (hints.length === 0) return [];
  await write(db, async (tx) => {
    const now = tx.now();
    await tx
      .deleteFrom('job_hints')
      .where('heard_at', '<', now - KEPT_MS)
      .execute();
    await tx
      .insertInto('job_hints')
      .values(hints.map((hint) => ({ ...hint, heard_at: now })))
      .onConflict((conflict) => conflict.columns(['owner', 'job_id']).doUpdateSet({ heard_at: now }))
      .execute();
  });
  return hints.map(({ job_id }) => job_id);
}

/**
 * Reads and deletes the hints for a process (`owner`). Returns the ids of the jobs. Writes nothing if there are none.
 */
export async function takeHints(db: Db, owner: string): Promise<readonly string[]> {
  const lines = await readSnapshot(db, (tx): Promise<readonly HintLine[]> =>
    tx.selectFrom('job_hints').select(['job_id', 'heard_at']).where('owner', '=', owner).execute(),
  );
  if (lines.length === 0) return [];
  const latest = Math.max(...lines.map(({ heard_at }) => heard_at));
  await write(db, async (tx) => {
    await tx.deleteFrom('job_hints').where('owner', '=', owner).where('heard_at', '<=', latest).execute();
  });
  return lines.map(({ job_id }) => job_id);
}
