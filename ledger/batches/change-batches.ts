import { randomBytes } from 'node:crypto';
import { batchFolder } from '../../contract/batch-name.ts';
import { byItself, type By } from '../../contract/actions.ts';
import type { BatchSettings } from '../../contract/batch.ts';
import type { Failure } from '../../contract/failures.ts';
import type { Control } from '../../contract/outcomes.ts';
import { shareOfMonth } from '../../policy/schedules/month-budget.ts';
import { watchFrom } from './halts.ts';
import { beginVoiceWaits } from '../voices/awaited-voices.ts';
import { countOpen, counts } from './counts.ts';
import { BatchExists, DuplicateKey, LedgerMisuse, LoadTakenOver, MonthUsedUp } from '../errors.ts';
import { monthSpend } from '../schedules/months.ts';
import type { MonthClaim } from '../schedules/occurrence-records.ts';
import { changesBy, noteAction } from '../history/actions.ts';
import { addNotices, addPauseNotices } from '../notices/notices.ts';
import { jsonOrNull } from '../records.ts';
import { settingsColumns, type Loading, type NewBatch } from './batch-records.ts';
import { findBatch, requireBatch, requireLoaded } from './read-batches.ts';
import { setBatch } from './set-batch.ts';
import type { Db, Tx } from '../schema.ts';
import { isHeld, releaseBatch, requireNoDoubt } from '../database/copy-doubts.ts';
import { write } from '../database/transactions.ts';
import { unitAdapterOf } from '../database/unit-adapter.ts';
import type { Tunables, Tuning } from '../../contract/tunables.ts';
import { applyTuning } from '../../policy/tuning.ts';
import { beginRatios } from '../money/charge-ratios.ts';

/** Rows whose files share a folder: with up to three files per take, a folder stays well below 100,000 files. */
const ROWS_A_FOLDER = 10_000;
/** Max rows removed per transaction: other writers wait for its lock. */
const ROWS_REMOVED_AT_ONCE = 1_000;

/** Returns a new name for a batch's folder in the store, with a random part. */
function newStem(name: string): string {
  return batchFolder(name, randomBytes(5).toString('hex'));
}

/**
 * Creates a batch in state `loading`. Returns the right to add its rows and open it. Throws {@link BatchExists}, and
 * `CopyInDoubt` if the ledger is a copy that may lack requests sent before.
 *
 * `month`: a schedule's monthly budget. The batch's own budget is capped at the month's remaining credits, in the same
 * transaction, so two firings never claim the same credits. Throws {@link MonthUsedUp} if not even one row fits.
 */
export async function createBatch(db: Db, batch: NewBatch, month?: MonthClaim): Promise<Loading> {
  const loading: Loading = { batch: batch.name, stem: newStem(batch.name) };
  try {
    await write(db, async (tx) => {
      // With the cache mode `only` nothing is sent: so a batch that a copy lacks is put on record again.
      if (batch.settings.cache !== 'only') await requireNoDoubt(tx, batch.name, { isNew: true });
      const settings = month === undefined ? batch.settings : await withinMonth(tx, batch, month);
      await tx
        .insertInto('batches')
        .values({
          name: batch.name,
          digest: batch.digest,
          api_url: batch.apiUrl,
          account: batch.account,
          ...settingsColumns(settings),
          columns: JSON.stringify(batch.columns),
          source: batch.source,
          subset: jsonOrNull(batch.subset ?? undefined),
          stem: loading.stem,
          rows_a_folder: ROWS_A_FOLDER,
          state: 'loading',
          control: 'running',
          rows: 0,
          number: await nextNumber(tx),
          stop_now: 0,
          created_at: tx.now(),
        })
        .execute();
    });
  } catch (error) {
    throw error instanceof DuplicateKey ? new BatchExists(batch.name) : error;
  }
  return loading;
}

async function nextNumber(tx: Tx): Promise<number> {
  const { last } = await tx
    .selectFrom('batches')
    .select(({ fn }) => fn.max<number | null>('number').as('last'))
    .executeTakeFirstOrThrow();
  return (last ?? 0) + 1;
}

/** The settings with the budget capped at the month's remaining credits. */
async function withinMonth(tx: Tx, { settings }: NewBatch, month: MonthClaim): Promise<BatchSettings> {
  const spend = await monthSpend(tx, month);
  const share = shareOfMonth(spend, { budget: settings.budget, cheapest: month.cheapest });
  if (share.type === 'used-up') throw new MonthUsedUp(spend);
  return { ...settings, budget: share.budget };
}

/**
 * Opens a loaded batch: `loading` → `open`. No effect if this load has opened it already. Throws {@link LoadTakenOver}
 * if another load has taken it over, or if it does not have exactly `rows` rows. `by`: who starts it.
 */
export async function openBatch(db: Db, loading: Loading, rows: number, by = byItself(null)): Promise<void> {
  const { batch } = loading;
  // Only a database server keeps statistics that must be updated after many rows were added.
  await unitAdapterOf(db)?.afterLoading(db);
  await write(db, async (tx) => {
    const found = await requireLoaded(tx, loading);
    // Compares the triggers' count, too: earlier versions removed rows without changing the batch's own figure.
    const { total } = await counts(tx, batch);
    if (found.rows !== rows || total !== rows) {
      const there = Math.min(found.rows, total);
      throw new LoadTakenOver(batch, `batch "${batch}" has ${there} of ${rows} rows in the ledger`);
    }
    if (found.state !== 'loading') return;
    await beginVoiceWaits(tx, batch);
    await setBatch(tx, batch, { state: 'open' });
    await noteAction(tx, by, { kind: 'start', batch, details: { budget: found.settings.budget } });
  });
}

/**
 * Removes a batch that is still `loading`, with its rows, some at a time. No effect on other batches. First ends the
 * right of the load, which may still run: the lock that should prevent that is lost with a connection. If this process
 * dies meanwhile, the batch stays `loading` and can be removed later. Stops if another process removes it, too.
 */
export async function discardLoading(db: Db, batch: string): Promise<void> {
  const taken: Loading = { batch, stem: newStem(batch) };
  const isThere = await write(db, (tx) => takeOver(tx, taken));
  while (isThere && (await write(db, (tx) => discardSome(tx, taken))));
}

/** Transfers a batch that is `loading` to another load. Returns false if there is no such batch. */
async function takeOver(tx: Tx, { batch, stem }: Loading): Promise<boolean> {
  const found = await findBatch(tx, batch);
  if (found?.state !== 'loading') return false;
  // `rows: 0` stops loads of earlier versions, which only compare the number of rows before they open the batch.
  await setBatch(tx, batch, { stem, rows: 0 });
  return true;
}

/** Removes some rows of a batch, and at last the batch. Returns whether more is left to remove. */
async function discardSome(tx: Tx, { batch, stem }: Loading): Promise<boolean> {
  const found = await findBatch(tx, batch);
  if (found?.layout.stem !== stem) return false;
  const rows = await tx
    .selectFrom('rows')
    .select('row')
    .where('batch', '=', batch)
    .orderBy('row')
    .limit(ROWS_REMOVED_AT_ONCE)
    .execute();
  const last = rows.at(-1);
  if (last === undefined) {
    await tx.deleteFrom('awaited_voices').where('batch', '=', batch).execute();
    await tx.deleteFrom('batches').where('name', '=', batch).execute();
    return false;
  }
  await tx.deleteFrom('rows').where('batch', '=', batch).where('row', '<=', last.row).execute();
  return true;
}

/**
 * Sets the batch's control and returns the resulting one. A closed batch keeps its control, and `stopping` is never
 * undone. The pause reason stays on record until the batch runs again: a later manual pause or stop does not invalidate
 * it. A paused batch that is held since a copy was accepted (`copy-doubts.ts`) gets no new reason. `reason`: why
 * voxbatch itself pauses it; omitted for a person's request. `by`: who asks for it. Throws `CopyInDoubt` instead of
 * resuming.
 */
export async function setControl(
  db: Db,
  batch: string,
  control: Control,
  reason?: Failure,
  by: By = byItself(reason?.message ?? null),
): Promise<Control> {
  return write(db, async (tx) => {
    const found = await requireBatch(tx, batch);
    if (found.state === 'closed' || found.control === 'stopping') return found.control;
    const isKept = reason !== undefined && found.control === 'paused' && (await isHeld(tx, batch));
    const newReason = isKept ? undefined : reason;
    const pauseReason = control === 'running' ? undefined : (newReason ?? found.pauseReason ?? undefined);
    if (control === 'running') {
      if (found.control !== 'running') await requireNoDoubt(tx, batch);
      await releaseBatch(tx, batch);
    }
    // `--halt alike` watches the first rows again: those before the pause say nothing about what the person changed.
    const resumed = found.control === 'paused' && control === 'running' ? { watch: watchFrom(tx.now()) } : {};
    await setBatch(tx, batch, { control, pause_reason: jsonOrNull(pauseReason), ...resumed });
    if (control !== found.control) await noteAction(tx, by, { kind: CONTROL_ACTIONS[control], batch });
    if (control === 'paused' && pauseReason !== undefined) await addPauseNotices(tx, found, pauseReason);
    return control;
  });
}

/** The action on record for each control. */
const CONTROL_ACTIONS = { running: 'resume', paused: 'pause', stopping: 'stop' } as const;

/** Closes an open batch if all its rows have ended. Returns the number of rows still open. */
export async function closeBatch(db: Db, batch: string): Promise<number> {
  return write(db, async (tx) => {
    const { state, settings } = await requireBatch(tx, batch);
    const open = await countOpen(tx, batch);
    if (open === 0 && state === 'open') {
      const now = tx.now();
      await setBatch(tx, batch, { state: 'closed', closed_at: now });
      await addNotices(tx, { batch, event: 'ended', hooks: settings, at: now });
    }
    return open;
  });
}

/**
 * Reopens a batch that was closed, for rows that a person opens again. With `wasClosed` false only checks, and the
 * batch keeps its control. Throws {@link LedgerMisuse} if a clean has removed what its rows need, and
 * `CopyInDoubt`.
 */
export async function reopenBatch(tx: Tx, batch: string, wasClosed: boolean): Promise<void> {
  await requireNoDoubt(tx, batch);
  if (!wasClosed) return;
  const { cleaned } = await requireBatch(tx, batch);
  if (cleaned.rows !== null || cleaned.unfinished !== null) {
    const why = cleaned.unfinished === null ? 'what its rows asked for was removed' : 'it is being cleaned';
    throw new LedgerMisuse(`Batch "${batch}" cannot be opened again: ${why}. No row was changed.`);
  }
  await releaseBatch(tx, batch);
  await setBatch(tx, batch, {
    state: 'open',
    control: 'running',
    pause_reason: null,
    halted: null,
    stop_now: 0,
    closed_at: null,
    reopened_at: tx.now(),
    watch: watchFrom(tx.now()),
  });
}

/**
 * Changes the given settings and returns all of them. Also works on a closed batch, for a redrive. Throws {@link
 * CopyInDoubt} instead of letting a batch send whose cache mode is `only`.
 */
export async function tune(db: Db, batch: string, tuning: Tuning, by = byItself(null)): Promise<Tunables> {
  return write(db, async (tx) => {
    const { settings } = await requireBatch(tx, batch);
    const tuned = applyTuning(settings, tuning);
    // A closed one, too: a job that a person names opens it again, and its row would send its next step.
    if (settings.cache === 'only' && tuned.cache !== 'only') await requireNoDoubt(tx, batch);
    const { submitsByRows: byRows = false } = settings;
    const submitsByRows = byRows && tuning.limits?.submits === undefined;
    const changed: BatchSettings = { ...settings, ...tuned, submitsByRows };
    await setBatch(tx, batch, settingsColumns(changed));
    const changes = changesBy(tuning, settings);
    if (changes !== undefined) await noteAction(tx, by, { kind: 'tune', batch, details: { changed: changes } });
    // A new budget limits by what requests may cost; that estimate begins from the requests already made.
    if (settings.budget === null && tuned.budget !== null) await beginRatios(tx, batch);
    return tuned;
  });
}
