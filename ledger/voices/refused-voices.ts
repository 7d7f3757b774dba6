import type { Account } from '../../contract/names.ts';
import { sql, type RawBuilder } from 'kysely';
import { ACCEPTED_STATES } from '../../contract/outcomes.ts';
import { FIRST_PAUSE_MS } from '../../policy/voices/awaited-voice.ts';
import { freeRows, type VoiceUse } from './awaited-voices.ts';
import { hasMadeVoice, hasSentSibling, isUnsent } from '../conditions.ts';
import type { VoiceRefused } from '../rows/row-effects.ts';
import type { RowInTransaction } from '../rows/row-in-transaction.ts';
import type { Db, RowLine, Tx } from '../schema.ts';
import { readSnapshot } from '../database/transactions.ts';

/*
 * Voices that the API has refused as not ready. All rows of the batch that would speak with such a voice wait for it,
 * and each poll lets one of them try (`awaited-voices.ts`), so that many rows do not cause many refusals. That row
 * keeps the voice in the column `awaits` while it is under way. Once its request is accepted, all waiting rows are
 * freed.
 */

/**
 * Whether a row of this ledger made the voice after `since` (wall clock, ms), and no speech with it was accepted yet:
 * then a refusal may mean that the voice is still in training.
 */
export async function isNewVoice(db: Db, { apiUrl, account }: Account, use: VoiceUse, since: number): Promise<boolean> {
  return readSnapshot(db, async (tx) => {
    const made = await tx
      .selectFrom('rows')
      .innerJoin('batches', 'batches.name', 'rows.batch')
      .select('rows.ended_at')
      .where('rows.text', '=', use.voice)
      .where(hasMadeVoice('rows'))
      .where('rows.ended_at', '>', since)
      .where('batches.api_url', '=', apiUrl)
      .where('batches.account', '=', account)
      .orderBy('rows.ended_at')
      .limit(1)
      .executeTakeFirst();
    if (made === undefined) return false;
    const spoken = await tx
      .selectFrom('batches')
      .innerJoin('rows', 'rows.batch', 'batches.name')
      .innerJoin('charges', (join) =>
        join.onRef('charges.batch', '=', 'rows.batch').onRef('charges.row', '=', 'rows.row'),
      )
      .select('rows.row')
      .where('batches.api_url', '=', apiUrl)
      .where('batches.account', '=', account)
      // Batches closed before it was made cannot have used it.
      .where((eb) => eb.or([eb('batches.closed_at', 'is', null), eb('batches.closed_at', '>=', made.ended_at)]))
      .where(speaksWith(use))
      .where('charges.step', '=', 'speech')
      .where('charges.state', 'in', [...ACCEPTED_STATES, 'cached'])
      .limit(1)
      .executeTakeFirst();
    return spoken === undefined;
  });
}

/**
 * Condition: the row speaks with a voice. A voice that a row of the batch has made is used only by rows of that batch,
 * which have an index.
 */
function speaksWith({ batch, voice, voiceRow }: VoiceUse): RawBuilder<boolean> {
  return voiceRow === null
    ? sql<boolean>`rows.voice_row is null and rows.voice = ${voice}`
    : sql<boolean>`rows.batch = ${batch} and rows.voice_row = ${voiceRow}`;
}

/** Makes a row whose voice was refused wait for it, together with all unsent rows of the batch that use the voice. */
export async function awaitRefused(
  row: RowInTransaction,
  { refusedVoice: voice, refusal }: VoiceRefused,
): Promise<void> {
  const { tx, line } = row;
  const { batch } = line;
  const now = tx.now();
  const known = await tx
    .updateTable('awaited_voices')
    .set({ refusal: JSON.stringify(refusal) })
    .where('batch', '=', batch)
    .where('voice', '=', voice)
    .executeTakeFirst();
  if (known.numUpdatedRows === 0n) {
    await tx
      .insertInto('awaited_voices')
      .values({ batch, voice, since: now, due_at: now + FIRST_PAUSE_MS, refusal: JSON.stringify(refusal) })
      .execute();
    // Only at the first refusal: rows that reopen later are refused themselves.
    await blockUnsent(tx, { batch, voice, voiceRow: line.voice_row }, now);
  }
  await row.change({ ...blockedFor(voice, now), hold: line.hold + 1, promised: 0 });
}

/** Blocks the unsent rows that use a voice, and frees them from their lanes. */
async function blockUnsent(tx: Tx, use: VoiceUse, now: number): Promise<void> {
  await tx
    .updateTable('rows')
    .set((eb) => ({
      ...blockedFor(use.voice, now),
      hold: eb('hold', '+', 1),
      // A row with nothing paid reserves nothing while it waits, which may be long.
      promised: sql<number>`case when ${hasSentSibling('rows')} then promised else 0 end`,
    }))
    .where('batch', '=', use.batch)
    .where('outcome', 'is', null)
    .where('state', '=', 'waiting')
    .where(speaksWith(use))
    .where(isUnsent('rows', 'ever'))
    .execute();
}

function blockedFor(voice: string, now: number): Pick<RowLine, 'state' | 'awaits' | 'lane' | 'updated_at'> {
  return { state: 'blocked', awaits: voice, lane: null, updated_at: now };
}

/** To be called when a request of the row was accepted. If the row tried a voice, frees all rows that wait for it. */
export async function releaseTriedVoice(row: RowInTransaction): Promise<void> {
  const { batch, awaits: voice } = row.line;
  if (voice === null) return;
  await freeRows(row.tx, { batch, voice });
  await row.change({ awaits: null });
}
