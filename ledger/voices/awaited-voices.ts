import type { Account } from '../../contract/names.ts';
import { sql, type Updateable } from 'kysely';
import type { Failure } from '../../contract/failures.ts';
import type { VoiceWatch } from '../../policy/voices/awaited-voice.ts';
import { setRow } from '../rows/line-changes.ts';
import { failureColumns, toFailure } from '../records.ts';
import { updateRow } from '../rows/update-row.ts';
import { settleSplitRows } from '../parts/split-rows.ts';
import type { Db, Tx } from '../schema.ts';
import type { AwaitedVoicesTable } from '../tables/rows.ts';
import { write } from '../database/transactions.ts';

/*
 * Voices that rows wait for because they may be in training. A voice is added when a row has made it (`speakers.ts`) or
 * the API has refused it as not ready (`refused-voices.ts`). A worker then polls the API's list of voices: it claims
 * the due voices of an account (`claimVoicePoll`), and records the result for all of them at once (`settleVoices`).
 */

/** A voice that rows of a batch wait for. */
export interface AwaitedVoice {
  readonly batch: string;
  /** Its id. */
  readonly voice: string;
  /** Its name; null if unknown. */
  readonly name: string | null;
  /** When it was last polled, or else since when rows wait for it. Wall clock, ms. */
  readonly lookedAt: number;
  readonly watch: VoiceWatch;
  /** The API's last refusal because of this voice since rows wait for it; null if none. */
  readonly refusal: Failure | null;
}

/** A voice that a row of a batch speaks with. */
export interface VoiceUse {
  readonly batch: string;
  /** Its id. */
  readonly voice: string;
  /** The row of the batch that made it; null if none did. */
  readonly voiceRow: number | null;
}

/** The result of a poll, for the rows that wait for a voice. */
export type VoiceSettlement = Pick<AwaitedVoice, 'batch' | 'voice'> &
  /** The voice is ready: frees all rows. */
  (
    | { readonly then: 'use' }
    /** `look-again`: polls again at `dueAt`, ms. `try`: also frees one row, unless one is under way. */
    | {
        readonly then: 'look-again' | 'try';
        readonly lookedAt: number;
        readonly dueAt: number;
        readonly watch: VoiceWatch;
      }
    /** Ends the rows as `failed`. */
    | { readonly then: 'give-up'; readonly failure: Failure }
  );

/** Lease of a poll, ms; afterwards another process may claim the voices. */
const LEASE_MS = 90_000;

/**
 * Claims the voices of an account that are due for a poll, in running batches. The caller holds them until it settles
 * them or its lease expires, so a dead caller blocks nobody. `now`: wall clock, ms.
 */
export async function claimVoicePoll(
  db: Db,
  { apiUrl, account }: Account,
  now: number,
): Promise<readonly AwaitedVoice[]> {
  return write(db, async (tx) => {
    const due = await tx
      .selectFrom('awaited_voices as v')
      .innerJoin('batches as b', 'b.name', 'v.batch')
      .select(['v.batch', 'v.voice', 'v.name', 'v.watched_ms', 'v.silent_ms', 'v.was_read', 'v.refusal'])
      .select((eb) => eb.fn.coalesce('v.looked_at', 'v.since').as('looked_at'))
      .where('v.due_at', '<=', now)
      .where('b.api_url', '=', apiUrl)
      .where('b.account', '=', account)
      .where('b.state', '=', 'open')
      .where('b.control', '=', 'running')
      .orderBy('v.batch')
      .orderBy('v.voice')
      .execute();
    for (const { batch, voice } of due) await change(tx, { batch, voice }, { due_at: now + LEASE_MS });
    return due.map(({ batch, voice, name, looked_at, watched_ms, silent_ms, was_read, refusal }) => ({
      ...{ batch, voice, name, lookedAt: looked_at, refusal: toFailure(refusal) },
      watch: { watchedMs: watched_ms, silentMs: silent_ms, wasRead: was_read === 1 },
    }));
  });
}

/** Records the results of a poll: frees rows that wait for voices, ends them as `failed`, or lets them wait. */
export async function settleVoices(db: Db, settlements: readonly VoiceSettlement[]): Promise<void> {
  await write(db, async (tx) => {
    for (const one of settlements) {
      switch (one.then) {
        case 'use':
          await freeRows(tx, one);
          break;
        case 'give-up':
          await endRows(tx, one, one.failure);
          break;
        case 'look-again':
        case 'try': {
          const { watchedMs, silentMs, wasRead } = one.watch;
          await change(tx, one, {
            ...{ due_at: one.dueAt, looked_at: one.lookedAt, watched_ms: watchedMs, silent_ms: silentMs },
            was_read: wasRead ? 1 : 0,
          });
          if (one.then === 'try') await freeOne(tx, one);
        }
      }
    }
  });
}

type VoiceKey = Pick<AwaitedVoice, 'batch' | 'voice'>;

/** Frees all rows that wait for a voice. */
export async function freeRows(tx: Tx, { batch, voice }: VoiceKey): Promise<void> {
  await tx
    .updateTable('rows')
    .set({
      state: sql`case when state = 'blocked' then 'waiting' else state end`,
      awaits: null,
      updated_at: tx.now(),
    })
    .where('batch', '=', batch)
    .where('awaits', '=', voice)
    .where('outcome', 'is', null)
    .execute();
  await forget(tx, { batch, voice });
}

/**
 * Frees one row that waits for a voice, unless one is under way: the one claimed least often, because a row may be
 * refused for its own request. Deletes the wait if no row waits for the voice.
 */
async function freeOne(tx: Tx, { batch, voice }: VoiceKey): Promise<void> {
  const rows = tx
    .selectFrom('rows')
    .select(['row', 'state'])
    .where('batch', '=', batch)
    .where('awaits', '=', voice)
    .where('outcome', 'is', null);
  const underWay = await rows.where('state', '<>', 'blocked').limit(1).executeTakeFirst();
  if (underWay !== undefined) return;
  const next = await rows.orderBy('hold').orderBy('row').limit(1).executeTakeFirst();
  if (next === undefined) await forget(tx, { batch, voice });
  else await setRow(tx, { batch, row: next.row }, { state: 'waiting', updated_at: tx.now() });
}

/** Ends the blocked rows that wait for a voice, and frees a row that is under way from the wait. */
async function endRows(tx: Tx, { batch, voice }: VoiceKey, failure: Failure): Promise<void> {
  const now = tx.now();
  const ended = await tx
    .updateTable('rows')
    .set({ outcome: 'failed', ...failureColumns(failure), updated_at: now, ended_at: now })
    .where('batch', '=', batch)
    .where('awaits', '=', voice)
    .where('state', '=', 'blocked')
    .where('outcome', 'is', null)
    .returning(['batch', 'row', 'take', 'outcome', 'part_of'])
    .execute();
  await settleSplitRows(tx, ended);
  await freeRows(tx, { batch, voice });
}

/** Deletes the wait for a voice. */
async function forget(tx: Tx, { batch, voice }: VoiceKey): Promise<void> {
  await tx.deleteFrom('awaited_voices').where('batch', '=', batch).where('voice', '=', voice).execute();
}

async function change(tx: Tx, { batch, voice }: VoiceKey, to: Updateable<AwaitedVoicesTable>): Promise<void> {
  await tx.updateTable('awaited_voices').set(to).where('batch', '=', batch).where('voice', '=', voice).execute();
}

/**
 * Begins the waits of a batch that was just loaded: for voices in training. Ends rows as `failed` whose voice is made
 * by a row that `--limit` or `--sample` left out.
 */
export async function beginVoiceWaits(tx: Tx, batch: string): Promise<void> {
  const now = tx.now();
  await tx
    .insertInto('awaited_voices')
    // `was_read`: the list that was read when the manifest was checked shows that these voices are in training.
    .columns(['batch', 'voice', 'since', 'due_at', 'was_read'])
    .expression((eb) =>
      eb
        .selectFrom('rows')
        .select((row) => [
          'batch',
          row.ref('awaits').$notNull().as('voice'),
          // A literal has a type in every database; a parameter in a list of columns may not.
          sql.lit(now).as('since'),
          sql.lit(now).as('due_at'),
          sql.lit(1 as const).as('was_read'),
        ])
        .where('batch', '=', batch)
        .where('awaits', 'is not', null)
        .where('outcome', 'is', null)
        .distinct(),
    )
    .execute();
  const left = await tx
    .selectFrom('rows as r')
    .innerJoin('rows as m', (join) => join.onRef('m.batch', '=', 'r.batch').onRef('m.row', '=', 'r.voice_row'))
    .select(['r.row', 'm.row as maker', 'm.id'])
    .where('r.batch', '=', batch)
    .where('r.voice_row', 'is not', null)
    .where('r.outcome', 'is', null)
    .where('m.outcome', 'is not', null)
    .execute();
  for (const { row, maker, id } of left) {
    const message = `Row ${maker} (${id}) makes the voice of this row, and is not among the rows to run. Nothing was sent for this row. It goes on by itself once that row has succeeded.`;
    const failure: Failure = { class: 'NoVoice', cause: 'the row that makes its voice was not chosen', message };
    const ending = { outcome: 'failed', failure, updated_at: now, ended_at: now } as const;
    await updateRow(tx, { batch, row }, ending);
  }
}
