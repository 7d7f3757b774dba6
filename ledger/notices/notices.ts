import { randomBytes } from 'node:crypto';
import { sql, type Selectable } from 'kysely';
import type { Failure } from '../../contract/failures.ts';
import type { HookEvent, HookTarget } from '../../contract/hooks.ts';
import type { Account } from '../../contract/names.ts';
import { parseOccurrence, STAMP_LENGTH } from '../../policy/schedules/occurrence.ts';
import type { ScheduleHooks } from '../../contract/schedule.ts';
import type { BatchRecord } from '../batches/batch-records.ts';
import type { Db, Tx } from '../schema.ts';
import type { NoticesTable } from '../tables/batches.ts';
import type { OccurrencesTable } from '../tables/schedules.ts';
import { write } from '../database/transactions.ts';

/*
 * The outbox of `--on-end` and `--notify`: notices of schedules, and of batches that end or pause by themselves. A
 * process claims a notice under a lease, delivers it and reports the result. If it does not report in time, because it
 * was killed, the next process claims the notice. So every notice is delivered at least once; receivers detect
 * duplicates by the event id.
 */

/** A message about a batch, to be delivered. */
export interface Notice {
  /** The notice's id in the ledger. The event itself has a separate id; see `client/hooks/notice-content.ts`. */
  readonly id: string;
  readonly batch: string;
  readonly event: HookEvent;
  readonly target: HookTarget;
  /** When the event happened, ms. */
  readonly madeAt: number;
  /** Deliveries started, including this one. */
  readonly tries: number;
}

/** A notice as the ledger records it. */
export interface NoticeRecord extends Notice {
  /** Time of the next delivery, ms, unless delivery has ended. */
  readonly dueAt: number;
  /** Why the last delivery failed. */
  readonly trouble: string | null;
  /** When it was delivered, or abandoned (with `trouble`), ms. */
  readonly endedAt: number | null;
  /** The process that holds it; null if there is none or it has no name. */
  readonly claimer: string | null;
}

/** Result of a delivery. `failed`: due again at `retryAt`, or abandoned if that is null. */
export type Delivery =
  | { readonly type: 'delivered' }
  | { readonly type: 'failed'; readonly trouble: string; readonly retryAt: number | null };

/** Which notices a process claims, and for how long. */
export interface NoticeClaim {
  /** Only notices of this batch. Default: notices of any batch. */
  readonly batch?: string | undefined;
  /**
   * Also claim notices of other batches once they are this old, ms. For a schedule's batch, as soon as its occurrence
   * is over and its files are written. Default: only those of `batch`, or of any batch without it.
   */
  readonly othersAfterMs?: number | undefined;
  /**
   * Only notices of this API and account: of its batches and its schedules' occurrences. A schedule from an earlier
   * version has neither until its settings are migrated. Default: any account.
   */
  readonly realm?: Account | undefined;
  /** Only notices of this event. Default: any event. */
  readonly event?: HookEvent | undefined;
  /** Only notices to these targets. Default: any target. */
  readonly targets?: readonly HookTarget[] | undefined;
  /** Excludes these: another notice of the same batch to the same target is in flight. Default: none. */
  readonly except?: readonly Pick<Notice, 'batch' | 'target'>[] | undefined;
  readonly leaseMs: number;
  /** Name of the claiming process. Default: unnamed. */
  readonly claimer?: string | undefined;
}

/** An event of a batch or of a schedule's occurrence. */
export interface NoticeEvent {
  /** The batch, or the one the occurrence would have made. */
  readonly batch: string;
  readonly event: HookEvent;
  /** The hooks to notify. */
  readonly hooks: Partial<ScheduleHooks>;
  readonly at: number;
}

/**
 * Puts the notices of an event into the outbox, in the transaction that records the event: no kill can come between the
 * two.
 */
export async function addNotices(tx: Tx, { batch, event, hooks, at }: NoticeEvent): Promise<void> {
  const targets: readonly (readonly [HookTarget, unknown])[] = [
    ['command', hooks.onEnd],
    ['url', hooks.notify],
  ];
  for (const [target, hook] of targets) {
    if (hook == null) continue;
    const id = randomBytes(16).toString('hex');
    await tx.insertInto('notices').values({ id, batch, event, target, made_at: at, due_at: at }).execute();
  }
}

/**
 * Adds the notices of an open batch that pauses by itself. None if it was already paused by itself, which sent its
 * notices, or if a person's pause keeps the reason of the pause before it. `before`: the batch before the pause.
 */
export async function addPauseNotices(
  tx: Tx,
  before: Pick<BatchRecord, 'name' | 'state' | 'control' | 'pauseReason' | 'settings'>,
  reason: Failure,
): Promise<void> {
  const { name: batch, state, control, pauseReason, settings } = before;
  const wasNotified = control === 'paused' && pauseReason !== null;
  if (state !== 'open' || wasNotified || JSON.stringify(reason) === JSON.stringify(pauseReason)) return;
  await addNotices(tx, { batch, event: 'paused', hooks: settings, at: tx.now() });
}

/** Claims the notice that has been due longest, for the claim's lease. Undefined if none is due. */
export async function takeNotice(db: Db, claim: NoticeClaim): Promise<Notice | undefined> {
  // Every worker polls every second: take the ledger's lock only if there is something to do.
  if ((await due(db, claim, db.now())) === undefined) return undefined;
  return write(db, async (tx) => {
    const now = tx.now();
    const line = await due(tx, claim, now);
    if (line === undefined) return undefined;
    const tries = line.tries + 1;
    await tx
      .updateTable('notices')
      .set({ tries, due_at: now + claim.leaseMs, claimer: claim.claimer ?? null })
      .where('id', '=', line.id)
      .execute();
    return toNotice({ ...line, tries });
  });
}

/** Finds the notice that has been due longest and that the claim allows. */
async function due(db: Db | Tx, claim: NoticeClaim, now: number): Promise<Selectable<NoticesTable> | undefined> {
  const { batch, realm, event, othersAfterMs, targets, except = [] } = claim;
  let query = db.selectFrom('notices').selectAll().where('ended_at', 'is', null).where('due_at', '<=', now);
  if (othersAfterMs === undefined && batch !== undefined) query = query.where('batch', '=', batch);
  if (event !== undefined) query = query.where('event', '=', event);
  if (realm !== undefined) {
    query = query.where((eb) =>
      eb.or([
        eb.and([
          eb('event', 'in', OF_OCCURRENCES),
          eb.exists(
            eb
              .selectFrom('schedules')
              .select('schedules.name')
              .where('schedules.name', '=', SCHEDULE_OF_NOTICE)
              .where('schedules.api_url', '=', realm.apiUrl)
              .where('schedules.account', '=', realm.account),
          ),
        ]),
        eb.exists(
          eb
            .selectFrom('batches')
            .select('batches.name')
            .whereRef('batches.name', '=', 'notices.batch')
            .where('batches.api_url', '=', realm.apiUrl)
            .where('batches.account', '=', realm.account),
        ),
      ]),
    );
  }
  if (targets !== undefined) query = query.where('target', 'in', targets);
  for (const one of except) {
    query = query.where((eb) => eb.not(eb.and([eb('batch', '=', one.batch), eb('target', '=', one.target)])));
  }
  const lines = await query.orderBy('due_at').limit(MAX_LOOKED_AT).execute();
  for (const line of lines) {
    if (othersAfterMs === undefined || line.batch === batch || (await isLeft(db, line, now - othersAfterMs, now))) {
      return line;
    }
  }
  return undefined;
}

/** Events of an occurrence that made no batch. */
const OF_OCCURRENCES: readonly HookEvent[] = ['failed', 'skipped'];
/** The schedule's name, taken from the name of the batch that its occurrence would have made. */
const SCHEDULE_OF_NOTICE = sql<string>`substr(notices.batch, 1, length(notices.batch) - ${sql.lit(STAMP_LENGTH)})`;
/** Max notices examined per search. Only this many deferred notices could hold up others. */
const MAX_LOOKED_AT = 200;
/** A firing that has not written its occurrence's files within this time was terminated externally, ms. */
const WRITTEN_AFTER_MS = 600_000;

/**
 * Whether any process may claim a notice of another batch: that batch's files are written, or it has none. A batch of
 * no schedule counts as written if the notice was made at `before` (ms) or earlier.
 */
async function isLeft(db: Db | Tx, line: Selectable<NoticesTable>, before: number, now: number): Promise<boolean> {
  if (OF_OCCURRENCES.includes(line.event)) return true;
  const occurrence = line.event === 'ended' ? await occurrenceOf(db, line.batch) : undefined;
  if (occurrence?.state === 'running') return line.made_at <= now - WRITTEN_AFTER_MS;
  // If the batch ends again later, after a redrive for example, that command writes the files.
  return line.made_at <= Math.max(before, occurrence?.ended_at ?? 0);
}

async function occurrenceOf(
  db: Db | Tx,
  batch: string,
): Promise<Pick<Selectable<OccurrencesTable>, 'state' | 'ended_at'> | undefined> {
  const { schedule, at } = parseOccurrence(batch) ?? {};
  if (schedule === undefined || at === undefined) return undefined;
  const lines = db.selectFrom('occurrences').select(['state', 'ended_at']);
  return lines.where('schedule', '=', schedule).where('at', '=', at).executeTakeFirst();
}

/** Extends the lease of a notice to this many ms from now. */
export async function keepNotice(db: Db, id: string, leaseMs: number): Promise<void> {
  await write(db, async (tx) => {
    const open = tx.updateTable('notices').where('id', '=', id).where('ended_at', 'is', null);
    await open.set({ due_at: tx.now() + leaseMs }).execute();
  });
}

/** Records the result of a delivery. A notice that another process delivered meanwhile stays delivered. */
export async function noteDelivery(db: Db, id: string, delivery: Delivery): Promise<void> {
  await write(db, async (tx) => {
    const now = tx.now();
    const change =
      delivery.type === 'delivered'
        ? { ended_at: now, trouble: null, claimer: null }
        : {
            trouble: delivery.trouble,
            claimer: null,
            ended_at: delivery.retryAt === null ? now : null,
            due_at: delivery.retryAt ?? now,
          };
    await tx.updateTable('notices').set(change).where('id', '=', id).where('ended_at', 'is', null).execute();
  });
}

/**
 * Releases the notice of a dead process, so that it is due now. No effect if another process has claimed it meanwhile.
 */
export async function freeNotice(db: Db, id: string, claimer: string): Promise<void> {
  await write(db, async (tx) => {
    const held = tx.updateTable('notices').where('id', '=', id).where('claimer', '=', claimer);
    await held.set({ due_at: tx.now(), claimer: null }).where('ended_at', 'is', null).execute();
  });
}

/** Reads the notices of a batch, oldest first. */
export async function noticesOf(db: Db, batch: string): Promise<readonly NoticeRecord[]> {
  const lines = await db.selectFrom('notices').selectAll().where('batch', '=', batch).orderBy('made_at').execute();
  return lines.map((line) => ({
    ...toNotice(line),
    dueAt: line.due_at,
    trouble: line.trouble,
    endedAt: line.ended_at,
    claimer: line.claimer,
  }));
}

function toNotice({ id, batch, event, target, made_at, tries }: Selectable<NoticesTable>): Notice {
  return { id, batch, event, target, madeAt: made_at, tries };
}
