import { readBatchLine } from '../batches/read-batches.ts';
import { reopenClosed } from '../batches/reopen-closed.ts';
import { hasResult, type Outcome } from '../../contract/outcomes.ts';
import type { Failure } from '../../contract/failures.ts';
import { requestedVoiceName } from '../../policy/voices/voice-name.ts';
import { readLine } from '../rows/line-changes.ts';
import { failureColumns } from '../records.ts';
import type { RowLine, Tx } from '../schema.ts';
import { settleSplitRows } from '../parts/split-rows.ts';

/*
 * Rows whose voice is made by another row of the batch, its *maker*, follow the maker: such a row is `blocked` until
 * the voice exists, then until a poll shows that the voice is not in training (`awaited-voices.ts`). If the voice is
 * not made, the row ends; it reopens if the voice is made after all.
 */

/** Cause of the failure of a row whose voice was not made. */
const NO_VOICE = 'the row that makes its voice did not succeed';

function noVoice({ row, id, outcome }: RowLine): Failure {
  const message = `Row ${row} (${id}) makes the voice of this row, and ended ${outcome ?? ''}. Nothing was sent for this row, nothing was charged. It goes on by itself once that row has succeeded.`;
  return { class: 'NoVoice', cause: NO_VOICE, message };
}

/** Returns the id of the voice that a row has made; null if none. */
function voiceMadeBy({ outcome, text }: RowLine): string | null {
  return hasResult(outcome) ? text : null;
}

/** Returns a change that reopens a row, adjusted: the row may have to wait for its voice, or to end without it. */
export async function withVoice(tx: Tx, line: RowLine, change: Partial<RowLine>): Promise<Partial<RowLine>> {
  const { batch, outcome, voice_row: row, voice, awaits, state } = { ...line, ...change };
  if (line.outcome === null || outcome !== null) return change;
  const isAwaited = row !== null && requestedVoiceName(voice ?? '') !== undefined;
  if (!isAwaited) {
    if (awaits !== null && state === 'blocked') await startWait(tx, { batch, voice: awaits, name: null });
    return change;
  }
  const maker = await readLine(tx, { batch, row });
  const made = voiceMadeBy(maker);
  const blocked = { ...change, state: 'blocked', lane: null } as const;
  if (made !== null) {
    await startWait(tx, { batch, voice: made, name: maker.name });
    return { ...blocked, awaits: made, voice: made };
  }
  return maker.outcome === null ? blocked : { ...blocked, ...endedAs(tx.now(), 'failed', noVoice(maker)) };
}

/** Updates the rows that speak with a voice after its maker has ended or reopened. */
export async function settleSpeakers(tx: Tx, maker: RowLine): Promise<void> {
  const { batch, row, outcome } = maker;
  const { control, cleaning, rows_cleaned_at } = await readBatchLine(tx, batch);
  const isStopping = control === 'stopping';
  const mayReopen = outcome === null || (hasResult(outcome) && !isStopping);
  // A clean removes the requests of rows that have ended.
  const changed = mayReopen && cleaning === null && rows_cleaned_at === null ? await openAgain(tx, maker) : [];
  const made = voiceMadeBy(maker);
  if (made !== null) await useVoice(tx, maker, made);
  else if (outcome === 'cancelled' && isStopping) changed.push(...(await endWaiting(tx, maker, 'cancelled')));
  else if (outcome !== null) changed.push(...(await endWaiting(tx, maker, 'failed', noVoice(maker))));
  await settleSplitRows(tx, changed);
  if (hasResult(outcome) && (await selectWaiting(tx, { batch, row })) !== undefined) await reopenClosed(tx, batch);
}

/** What `settleSplitRows` needs of a changed row. */
type ChangedRow = Pick<RowLine, 'batch' | 'row' | 'take' | 'outcome' | 'part_of'>;
const CHANGED_COLUMNS = ['batch', 'row', 'take', 'outcome', 'part_of'] as const;

/** Reopens the rows that had ended without this voice. Rows that had the voice before wait for it again. */
async function openAgain(tx: Tx, { batch, row }: RowLine): Promise<ChangedRow[]> {
  const opened = await tx
    .updateTable('rows')
    .set((eb) => ({
      ...{ outcome: null, ...failureColumns(null), ended_at: null, state: 'blocked', lane: null },
      ...{ hold: eb('hold', '+', 1), updated_at: tx.now() },
    }))
    .where('batch', '=', batch)
    .where('voice_row', '=', row)
    .where('outcome', '=', 'failed')
    .where('failure_class', '=', 'NoVoice')
    .returning([...CHANGED_COLUMNS, 'awaits'])
    .execute();
  const awaited = new Set(opened.flatMap(({ awaits }) => awaits ?? []));
  for (const voice of awaited) await startWait(tx, { batch, voice, name: null });
  return opened;
}

/** Assigns the new voice to the waiting rows. Whether it is in training is unknown until the first poll. */
async function useVoice(tx: Tx, { batch, row, name }: RowLine, voice: string): Promise<void> {
  if ((await selectWaiting(tx, { batch, row })) === undefined) return;
  await startWait(tx, { batch, voice, name });
  await tx
    .updateTable('rows')
    .set({ awaits: voice, voice })
    .where('batch', '=', batch)
    .where('voice_row', '=', row)
    .where('outcome', 'is', null)
    .where('state', '=', 'blocked')
    .execute();
}

/** Ends the rows that wait for a voice which is not made. */
async function endWaiting(tx: Tx, { batch, row }: RowLine, outcome: Outcome, failure?: Failure): Promise<ChangedRow[]> {
  return tx
    .updateTable('rows')
    .set(endedAs(tx.now(), outcome, failure))
    .where('batch', '=', batch)
    .where('voice_row', '=', row)
    .where('outcome', 'is', null)
    .where('state', '=', 'blocked')
    .returning(CHANGED_COLUMNS)
    .execute();
}

/** Finds a row that waits for the voice of a maker. */
function selectWaiting(tx: Tx, { batch, row }: Pick<RowLine, 'batch' | 'row'>): Promise<object | undefined> {
  return tx
    .selectFrom('rows')
    .select('row')
    .where('batch', '=', batch)
    .where('voice_row', '=', row)
    .where('outcome', 'is', null)
    .where('state', '=', 'blocked')
    .limit(1)
    .executeTakeFirst();
}

function endedAs(now: number, outcome: Outcome, failure?: Failure) {
  return { outcome, ...failureColumns(failure), updated_at: now, ended_at: now };
}

/** Begins the wait for a voice, unless there is one. */
async function startWait(
  tx: Tx,
  { batch, voice, name }: { readonly batch: string; readonly voice: string; readonly name: string | null },
): Promise<void> {
  const now = tx.now();
  await tx
    .insertInto('awaited_voices')
    .values({ batch, voice, name, since: now, due_at: now })
    .onConflict((conflict) => conflict.columns(['batch', 'voice']).doNothing())
    .execute();
}
