import type { By } from '../../contract/actions.ts';
import type { AttemptKey } from '../../contract/batch.ts';
import { requireBatch } from '../batches/read-batches.ts';
import { CopyInDoubt } from '../errors.ts';
import { noteAction } from '../history/actions.ts';
import type { Db, Tx } from '../schema.ts';
import { awaitedIn, SENDER, UNSEEN, type Awaited } from './copy-senders.ts';
import { keepFact, readFact, removeFact, setFact } from './facts.ts';
import { readSnapshot, write } from './transactions.ts';

/**
 * What is open after a copy of the database was accepted, as facts: processes that wrote to the former database and
 * have not put on record again what they had sent, or that none is known, and requests that were sent and fit nowhere
 * in the copy. Until a person has seen to them, whatever would send rows again is refused. And the batches that it had,
 * until a person resumes or redrives them.
 */
const UNPLACED = 'copy:unplaced:';
const HELD = 'copy:held:';
/** The fact that says when a copy was accepted last, ms. It stays. */
const ACCEPTED = 'copy:accepted';

/** Requests named in a message. */
const MOST_NAMED = 5;

/** A request that was sent, and for which the ledger has no place. */
export interface UnplacedRequest {
  readonly key: AttemptKey;
  /** When it was recorded, ms. */
  readonly at: number;
  /** Null if no answer has come. */
  readonly jobId: string | null;
}

/** Keeps such a request. A later call about the same one may add its job. */
export async function keepUnplaced(tx: Tx, { key, at, jobId }: UnplacedRequest): Promise<void> {
  const { batch, row, step, take, attempt } = key;
  const name = `${UNPLACED}${JSON.stringify([batch, row, step, take, attempt])}`;
  if (jobId !== null) await removeFact(tx, name);
  await keepFact(tx, jobId === null ? name : `${name} ${jobId}`, JSON.stringify({ key, at, jobId }));
}

/**
 * Throws {@link CopyInDoubt} while processes have not recorded again what they had sent or none is known that could, or
 * requests of this batch have no place. `batch`: null for what is about no batch.
 */
export async function requireNoDoubt(tx: Tx, batch: string | null): Promise<void> {
  const facts = await tx.selectFrom('facts').selectAll().where('name', 'like', 'copy:%').execute();
  const { senders, isUnseen } = awaitedIn(facts);
  const unplaced = facts
    .filter(({ name }) => name.startsWith(UNPLACED))
    .map(({ value }) => JSON.parse(value) as UnplacedRequest)
    .filter(({ key }) => key.batch === batch);
  if (senders === 0 && !isUnseen && unplaced.length === 0) return;
  const named = unplaced
    .slice(0, MOST_NAMED)
    .map(({ key, jobId }) => `row ${key.row}${jobId === null ? '' : ` (job ${jobId})`}`);
  throw new CopyInDoubt({ senders, isUnseen, named, unplaced: unplaced.length });
}

/** Throws {@link CopyInDoubt} where a resume of this batch would. Changes nothing. */
export async function requireResumable(db: Db, batch: string): Promise<void> {
  await readSnapshot(db, (tx) => requireNoDoubt(tx, batch));
}

/** What a person has seen to. */
export interface ClearedDoubts extends Awaited {
  readonly unplaced: readonly UnplacedRequest[];
}

/**
 * A person has compared with the account: processes that have not come back are dead, and these requests are seen. That
 * goes on record for each batch that has such requests, or is open and waits for a person since the copy was accepted,
 * also where nothing was in doubt.
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
    return { ...awaitedIn(facts), unplaced };
  });
}

/** From now on, the batch waits for a person: a copy was accepted that has it. Keeps when its last request was made. */
export async function hold(tx: Tx, batch: string): Promise<void> {
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
  /** When its last request was made that the copy has, or the batch itself, ms: what it lacks was sent later. */
  readonly from: number;
}

/** Those batches. */
export async function heldBatches(db: Db | Tx): Promise<readonly HeldBatch[]> {
  const facts = await db.selectFrom('facts').selectAll().where('name', 'like', `${HELD}%`).orderBy('name').execute();
  return facts.map(({ name, value }) => ({ batch: name.slice(HELD.length), from: Number(value) }));
}

/** Whether the batch is of a copy that was accepted, and no person has resumed or redriven it since. */
export async function isHeld(tx: Tx, batch: string): Promise<boolean> {
  return (await readFact(tx, HELD + batch)) !== undefined;
}

/** A copy is accepted now. */
export async function noteAccepted(tx: Tx): Promise<void> {
  await setFact(tx, ACCEPTED, String(tx.now()));
}

/** When a copy was accepted last, ms; null if none was. */
export async function acceptedAt(db: Db): Promise<number | null> {
  const fact = await readSnapshot(db, (tx) => readFact(tx, ACCEPTED));
  return fact === undefined ? null : Number(fact);
}

/** A person has resumed or redriven the batch. */
export async function letGo(tx: Tx, batch: string): Promise<void> {
  await removeFact(tx, HELD + batch);
}
