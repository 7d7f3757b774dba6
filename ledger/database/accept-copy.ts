import type { By } from '../../contract/actions.ts';
import { pausesBatch } from '../../policy/rows/max-attempts.ts';
import { setBatch } from '../batches/set-batch.ts';
import { noteAction } from '../history/actions.ts';
import { toFailure } from '../records.ts';
import { endAcceptance } from './acceptances.ts';
import { holdBatch, noteAccepted } from './copy-doubts.ts';
import { noteRecentSenders } from './copy-senders.ts';
import { failBegun } from '../schedules/occurrences.ts';
import { pauseAllFirings } from '../schedules/schedule-settings.ts';
import type { Db, Tx } from '../schema.ts';

/** The reason of the pauses, on record. */
const WHY_PAUSED = 'the ledger is a copy that was accepted, and may lack the last records';

/** What {@link acceptCopy} has paused. */
export interface PausedOnCopy {
  /** Names of all open batches that are not being stopped, also of those that were paused before. */
  readonly batches: readonly string[];
  readonly schedules: readonly string[];
}

/**
 * Accepts the present database as the ledger (`voxbatch ledger accept-copy`), although it is a copy of the one that was
 * last written: a restored backup, or a replica that took over.
 *
 * The same transaction pauses all open batches and all schedules, so that no waiting worker sends anything. Every batch
 * is then held until a person resumes or redrives it, even one that had paused by itself or has ended, because more of
 * it may have been sent since the copy was made. Records which processes wrote lately: no batch can be resumed before
 * these have recorded again what they sent, or a person has compared the copy with the account.
 */
export async function acceptCopy(db: Db, by: By): Promise<PausedOnCopy> {
  // Not through `write`: a unit of work refuses to write to a copy that is not accepted.
  return db
    .transaction()
    .execute((transaction) => acceptIn(Object.assign(transaction, { now: db.now, unit: undefined }), by));
}

/** Does the same in the caller's transaction, in which the database must take writes. */
export async function acceptIn(tx: Tx, by: By): Promise<PausedOnCopy> {
  await endAcceptance(tx);
  await noteAccepted(tx);
  await noteRecentSenders(tx);
  // Occurrences of schedules that have begun, and have no batch yet.
  await failBegun(tx, `It had no batch yet, and ${WHY_PAUSED}.`);
  const all = await tx.selectFrom('batches').selectAll().orderBy('number').execute();
  for (const { name } of all) await holdBatch(tx, name);
  const open = all.filter(({ state, control }) => state !== 'closed' && control !== 'stopping');
  for (const { name, pause_reason: reason } of open) {
    // The command `run` would resume a batch that has such a reason without asking.
    const why = toFailure(reason);
    const kept = why !== null && pausesBatch(why.class) ? { pause_reason: null } : {};
    await setBatch(tx, name, { control: 'paused', ...kept });
    await noteAction(tx, by, { kind: 'accept-copy', batch: name });
    await noteAction(tx, by, { kind: 'pause', batch: name });
  }
  return { batches: open.map(({ name }) => name), schedules: await pauseAllFirings(tx, tx.now(), WHY_PAUSED, by) };
}
