import { readBatchLine } from '../batches/read-batches.ts';
import { reopenClosed } from '../batches/reopen-closed.ts';
import { hasResult, type Outcome } from '../../contract/outcomes.ts';
import type { Failure } from '../../contract/failures.ts';
import { requestedVoiceName } from '../../policy/voices/voice-name.ts';
import { readLine } from '../rows/line-changes.ts';
import { failureColumns } from '../records.ts';
import type { RowLine, Tx } from '../schema.ts';
import { settleSplitRows } from '../parts/split-rows.ts';

/**
 * A row whose voice is made by another row follows that row: it is `blocked` until the voice exists, then waits for a
 * look at whether the voice is in training (`awaited-voices.ts`). If the voice is not made, the row ends; it reopens if
 * the voice is made after all.
 */

const NO_VOICE = 'the row that makes its voice did not succeed';

function noVoice({ row, id, outcome }: RowLine): Failure {
  const message = `Row ${row} (${id}) makes the voice of this row, and ended ${outcome ?? ''}. Nothing was sent for this row, nothing was charged. It goes on by itself once that row has succeeded.`;
  return { class: 'NoVoice', cause: NO_VOICE, message };
}

/** Id of the voice that a row has made; null if none. */
function voiceMadeBy({ outcome, text }: RowLine): string | null {
  return hasResult(outcome) ? text : null;
}

/** Adjusts a change that reopens a row: the row may have to wait for its voice, or may never get it. */
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

/** Settles the rows that speak with a voice after its maker has ended or reopened. */
export async function settleSpeakers(tx: Tx, maker: RowLine): Promise<void> {
  const { batch, row, outcome } = maker;
  const { control, cleaning, rows_cleaned_at } = await readBatchLine(tx, batch);
  const isStopping = control === 'stopping';
  const comeBack = outcome === null || (hasResult(outcome) && !isStopping);
  const turned = comeBack && cleaning === null && rows_cleaned_at === null ? await openAgain(tx, maker) : [];
  const made = voiceMadeBy(maker);
  if (made !== null) await useVoice(tx, maker, made);
  else if (outcome === 'cancelled' && isStopping) turned.push(...(await endWaiting(tx, maker, 'cancelled')));
  else if (outcome !== null) turned.push(...(await endWaiting(tx, maker, 'failed', noVoice(maker))));
  await settleSplitRows(tx, turned);
  if (hasResult(outcome) && (await selectWaiting(tx, { batch, row })) !== undefined) await reopenClosed(tx, batch);
}

type Turned = Pick<RowLine, 'batch' | 'row' | 'take' | 'outcome' | 'part_of'>;
const TURNED = ['batch', 'row', 'take', 'outcome', 'part_of'] as const;

/** Reopens the rows that had ended without this voice. Rows that had the voice before wait for it again. */
async function openAgain(tx: Tx, { batch, row }: RowLine): Promise<Turned[]> {
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
    .returning([...TURNED, 'awaits'])
    .execute();
  const awaited = new Set(opened.flatMap(({ awaits }) => awaits ?? []));
  for (const voice of awaited) await startWait(tx, { batch, voice, name: null });
  return opened;
}

/** Assigns the new voice to the waiting rows. Whether it is in training is unknown until the first look. */
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

async function endWaiting(tx: Tx, { batch, row }: RowLine, outcome: Outcome, failure?: Failure): Promise<Turned[]> {
  return tx
    .updateTable('rows')
    .set(endedAs(tx.now(), outcome, failure))
    .where('batch', '=', batch)
    .where('voice_row', '=', row)
    .where('outcome', 'is', null)
    .where('state', '=', 'blocked')
    .returning(TURNED)
    .execute();
}

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

/** Lets the voice be looked at, unless it already is. */
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
