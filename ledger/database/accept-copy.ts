import type { By } from '../../contract/actions.ts';
import { pausesBatch } from '../../policy/rows/max-attempts.ts';
import { setBatch } from '../batches/set-batch.ts';
import { noteAction } from '../history/actions.ts';
import { toFailure } from '../records.ts';
import { endAcceptance } from './acceptances.ts';
import { hold, noteAccepted } from './copy-doubts.ts';
import { awaitSenders } from './copy-senders.ts';
import { failBegun } from '../schedules/occurrences.ts';
import { pauseAllFirings } from '../schedules/schedule-settings.ts';
import type { Db, Tx } from '../schema.ts';

const WHY_PAUSED = 'the ledger is a copy that was accepted, and may lack the last records';

/** What is paused once a copy was accepted. */
export interface PausedOnCopy {
  /** Names of all open batches that are not being stopped, also of those that were paused before. */
  readonly batches: readonly string[];
  readonly schedules: readonly string[];
}

/**
 * Takes a copy for the ledger: the next writer puts it on record. In the same transaction pauses all open batches and
 * all schedules, so that no worker that waits for it sends anything. From then on every batch waits for a person, also
 * one that had paused by itself, and one that has ended: more of it may have been sent since. Notes who wrote lately:
 * nobody resumes before they have recorded again what they sent, or a person has compared. Returns the paused.
 */
export async function acceptCopy(db: Db, by: By): Promise<PausedOnCopy> {
  // Not as a group of writes, which would be refused.
  return db
    .transaction()
    .execute((transaction) => acceptIn(Object.assign(transaction, { now: db.now, unit: undefined }), by));
}

/** The same in a transaction of the caller, in which the database takes writes. */
export async function acceptIn(tx: Tx, by: By): Promise<PausedOnCopy> {
  await endAcceptance(tx);
  await noteAccepted(tx);
  await awaitSenders(tx);
  await failBegun(tx, `It had no batch yet, and ${WHY_PAUSED}.`);
  const all = await tx.selectFrom('batches').selectAll().orderBy('number').execute();
  for (const { name } of all) await hold(tx, name);
  const open = all.filter(({ state, control }) => state !== 'closed' && control !== 'stopping');
  for (const { name, pause_reason: reason } of open) {
    // `run` by itself resumes a batch with such a reason.
    const why = toFailure(reason);
    const kept = why !== null && pausesBatch(why.class) ? { pause_reason: null } : {};
    await setBatch(tx, name, { control: 'paused', ...kept });
    await noteAction(tx, by, { kind: 'accept-copy', batch: name });
    await noteAction(tx, by, { kind: 'pause', batch: name });
  }
  return { batches: open.map(({ name }) => name), schedules: await pauseAllFirings(tx, tx.now(), WHY_PAUSED, by) };
}
