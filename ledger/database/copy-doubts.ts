import type { By } from '../../contract/actions.ts';
import type { AttemptKey } from '../../contract/batch.ts';
import { ACCEPTED_STATES } from '../../contract/outcomes.ts';
import { requireBatch } from '../batches/read-batches.ts';
import { CopyInDoubt } from '../errors.ts';
import { noteAction } from '../history/actions.ts';
import type { Db, Tx } from '../schema.ts';
import { pendingSenders, SENDER, UNSEEN, type PendingSenders } from './copy-senders.ts';
import { keepFact, readFact, removeFact, setFact } from './facts.ts';
import { readSnapshot, write } from './transactions.ts';

/*
 * What is in doubt after a copy of the database, such as a restored backup, was accepted as the ledger
 * (`accept-copy.ts`), kept as facts:
 *
 * - processes that wrote to the former database and have not recorded again what they sent (`copy-senders.ts`);
 * - requests that were sent, and for which the copy has no row or take (*unplaced*);
 * - batches that no person has resumed or redriven since (*held*).
 *
 * Until a person has cleared the first two, nothing that would send rows again is allowed.
 */

/** Prefix of the facts about unplaced requests; their values are {@link UnplacedRequest} as JSON. */
const UNPLACED = 'copy:unplaced:';
/** Prefix of the facts about held batches; their values are {@link HeldBatch.from}. */
const HELD = 'copy:held:';
/** The fact that records when a copy was last accepted, ms. Never removed. */
const ACCEPTED = 'copy:accepted';

/** Max requests named in a message. */
const MAX_NAMED = 5;

/** A request that was sent, and for which the ledger has no row or take. */
export interface UnplacedRequest {
  readonly key: AttemptKey;
  /** When its intent was recorded in the former database, ms. */
  readonly at: number;
  /** Null while it has no answer. */
  readonly jobId: string | null;
}

/** Records an unplaced request. A later call for the same request may add its job. */
export async function keepUnplaced(tx: Tx, { key, at, jobId }: UnplacedRequest): Promise<void> {
  const { batch, row, step, take, attempt } = key;
  const name = `${UNPLACED}${JSON.stringify([batch, row, step, take, attempt])}`;
  if (jobId !== null) await removeFact(tx, name);
  await keepFact(tx, jobId === null ? name : `${name} ${jobId}`, JSON.stringify({ key, at, jobId }));
}

/**
 * Throws {@link CopyInDoubt} while processes may have sent requests that the copy lacks, or requests of this batch are
 * unplaced. `batch`: null for an action that is about no batch. `isNew`: the ledger does not have the batch.
 */
export async function requireNoDoubt(tx: Tx, batch: string | null, { isNew = false } = {}): Promise<void> {
  const facts = await tx.selectFrom('facts').selectAll().where('name', 'like', 'copy:%').execute();
  const { senders, mayBeMore } = pendingSenders(facts);
  const unplaced = facts
    .filter(({ name }) => name.startsWith(UNPLACED))
    .map(({ value }) => JSON.parse(value) as UnplacedRequest)
    .filter(({ key }) => key.batch === batch);
  if (senders === 0 && !mayBeMore && unplaced.length === 0) return;
  const named = unplaced
    .slice(0, MAX_NAMED)
    .map(({ key, jobId }) => `row ${key.row}${jobId === null ? '' : ` (job ${jobId})`}`);
  throw new CopyInDoubt({ batch: isNew ? null : batch, senders, mayBeMore, named, unplaced: unplaced.length });
}

/** Throws {@link CopyInDoubt} if resuming this batch would. Changes nothing. */
export async function requireResumable(db: Db, batch: string): Promise<void> {
  await readSnapshot(db, (tx) => requireNoDoubt(tx, batch));
}

/** What was in doubt until a person cleared it. */
export interface ClearedDoubts extends PendingSenders {
  /** Those that are not on record by now. */
  readonly unplaced: readonly UnplacedRequest[];
}

/**
 * Clears all doubts, because a person has compared the copy with the account (`accept-copy --compared`): missing
 * processes are dead, and unplaced requests are known. Records the action for each batch with unplaced requests and
 * each held open batch, even if nothing was in doubt.
 */
export async function clearDoubts(db: Db, by: By): Promise<ClearedDoubts> {
  return write(db, async (tx) => {
    const facts = await tx
      .deleteFrom('facts')
      .where((eb) => eb.or([SENDER, UNPLACED, UNSEEN].map((prefix) => eb('name', 'like', `${prefix}%`))))
      .returningAll()
      .execute();
    const unplaced = facts
      .filter(({ name }) => name.startsWith(UNPLACED))
      .map(({ value }) => JSON.parse(value) as UnplacedRequest);
    const open = await tx.selectFrom('batches').select('name').where('state', '!=', 'closed').execute();
    const held = new Set((await heldBatches(tx)).map(({ batch }) => batch));
    const compared = new Set([
      ...open.flatMap(({ name }) => (held.has(name) ? [name] : [])),
      ...unplaced.map(({ key }) => key.batch),
    ]);
    for (const batch of compared) await noteAction(tx, by, { kind: 'compare-copy', batch });
    const left: UnplacedRequest[] = [];
    for (const request of unplaced) if (!(await isPlaced(tx, request))) left.push(request);
    return { ...pendingSenders(facts), unplaced: left };
  });
}

/** Whether the request is on record by now, because a person has named its job: by that, or without one by its take. */
async function isPlaced(tx: Tx, { key, jobId }: UnplacedRequest): Promise<boolean> {
  const { batch, row, step, take } = key;
  const ofStep = tx.selectFrom('charges').select('row').where('batch', '=', batch).where('step', '=', step);
  const placed =
    jobId === null
      ? ofStep.where('row', '=', row).where('take', '=', take).where('state', 'in', ACCEPTED_STATES)
      : ofStep.where('job_id', '=', jobId);
  return (await placed.limit(1).executeTakeFirst()) !== undefined;
}

/** Holds a batch of a copy that is being accepted until a person resumes or redrives it. */
export async function holdBatch(tx: Tx, batch: string): Promise<void> {
  const { last } = await tx
    .selectFrom('charges')
    .select((eb) => eb.fn.max<number | null>('intent_at').as('last'))
    .where('batch', '=', batch)
    .executeTakeFirstOrThrow();
  await keepFact(tx, HELD + batch, String(last ?? (await requireBatch(tx, batch)).createdAt));
}

/** A batch of a copy that was accepted, and that no person has resumed or redriven since. */
export interface HeldBatch {
  readonly batch: string;
  /**
   * When the last request that the copy has was made, or else when the batch was created, ms: requests that the copy
   * lacks were made later.
   */
  readonly from: number;
}

/** The held batches, by name. */
export async function heldBatches(db: Db | Tx): Promise<readonly HeldBatch[]> {
  const facts = await db.selectFrom('facts').selectAll().where('name', 'like', `${HELD}%`).orderBy('name').execute();
  return facts.map(({ name, value }) => ({ batch: name.slice(HELD.length), from: Number(value) }));
}

/** Whether the batch is held: see {@link HeldBatch}. */
export async function isHeld(tx: Tx, batch: string): Promise<boolean> {
  return (await readFact(tx, HELD + batch)) !== undefined;
}

/** Records that a copy is accepted now. */
export async function noteAccepted(tx: Tx): Promise<void> {
  await setFact(tx, ACCEPTED, String(tx.now()));
}

/** When a copy was last accepted, ms; null if none ever was. */
export async function acceptedAt(db: Db): Promise<number | null> {
  const fact = await readSnapshot(db, (tx) => readFact(tx, ACCEPTED));
  return fact === undefined ? null : Number(fact);
}

/** Ends the hold of a batch that a person resumes or redrives. */
export async function releaseBatch(tx: Tx, batch: string): Promise<void> {
  await removeFact(tx, HELD + batch);
}
