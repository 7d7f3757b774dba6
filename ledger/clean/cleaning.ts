import { byItself } from '../../contract/actions.ts';
import { ofRow } from '../conditions.ts';
import type { CleanParts } from '../../contract/cleaning.ts';
import { defined } from '../../contract/defined.ts';
import type { RowSpec } from '../../contract/row-kinds.ts';
import { isInDoubt } from '../../policy/reconcile/in-doubt.ts';
import { requireBatch } from '../batches/read-batches.ts';
import { setBatch } from '../batches/set-batch.ts';
import { counts } from '../batches/counts.ts';
import { LedgerMisuse } from '../errors.ts';
import { noteAction } from '../history/actions.ts';
import { setRow, updateCharge } from '../rows/line-changes.ts';
import { fromSpec, type RowRecord, type RowSnapshot } from '../rows/row-records.ts';
import { removed } from '../cache/kept-results.ts';
import { readParts, readRows } from '../rows/rows.ts';
import type { Db, Tx } from '../schema.ts';
import { takesOf } from '../takes/takes.ts';
import type { TakeRecord } from '../takes/take-records.ts';
import { write } from '../database/transactions.ts';

/*
 * `voxbatch clean`: removes data that a finished batch no longer needs, its media or its rows' requests. Rows, outcomes
 * and charges stay, so every count and sum stays the same. Between `beginClean` and `endClean` no row of the batch can
 * be reopened; a killed clean starts over and goes through all rows again.
 */

/**
 * Whether a clean has begun. `undecided`: the number of rows that ended `unknown` or `overdue`, and still need their
 * requests.
 */
export type CleanStart =
  /** The parts to remove, including those of an interrupted clean. */
  | { readonly type: 'begun'; readonly parts: CleanParts }
  | { readonly type: 'not-closed' }
  | { readonly type: 'undecided'; readonly rows: number };

/** Records that parts of a batch are being removed. From then on none of its rows can be reopened. */
export async function beginClean(db: Db, batch: string, parts: CleanParts, by = byItself(null)): Promise<CleanStart> {
  return write(db, async (tx) => {
    const { state, cleaned } = await requireBatch(tx, batch);
    if (state !== 'closed') return { type: 'not-closed' };
    const { outcomes } = await counts(tx, batch);
    const undecided = outcomes.unknown + outcomes.overdue;
    if (parts.rows && undecided > 0) return { type: 'undecided', rows: undecided };
    const all: CleanParts = {
      media: parts.media || cleaned.unfinished?.media === true,
      rows: parts.rows || cleaned.unfinished?.rows === true,
    };
    await setBatch(tx, batch, { cleaning: JSON.stringify(all) });
    const removed = (['media', 'rows'] as const).filter((part) => all[part]);
    await noteAction(tx, by, { kind: 'clean', batch, details: { removed } });
    return { type: 'begun', parts: all };
  });
}

/**
 * Cleans the records of these rows, but of none in doubt: marks their files as removed, so that later rows no longer
 * reuse them, or clears their requests, as the clean that has begun says. Returns the cleaned rows. Throws {@link
 * LedgerMisuse} if no clean has begun.
 */
export async function cleanRows(db: Db, batch: string, rows: readonly number[]): Promise<readonly number[]> {
  return write(db, async (tx) => {
    const { unfinished } = (await requireBatch(tx, batch)).cleaned;
    if (unfinished === null) throw new LedgerMisuse(`No clean of batch "${batch}" has begun.`);
    const now = tx.now();
    const cleaned: number[] = [];
    for (const snapshot of await readRows(tx, batch, rows)) {
      if (isInDoubt(snapshot.row, snapshot.charges)) continue;
      cleaned.push(snapshot.row.row);
      const all =
        snapshot.row.parts === null ? [snapshot] : [snapshot, ...(await readParts(tx, batch, snapshot.row.row))];
      for (const one of all) {
        if (unfinished.media) await forgetMedia(tx, batch, one, now);
        if (unfinished.rows) await forgetRequest(tx, batch, one);
      }
    }
    return cleaned;
  });
}

/** Records that the removal is complete. */
export async function endClean(db: Db, batch: string): Promise<void> {
  await write(db, async (tx) => {
    const { unfinished } = (await requireBatch(tx, batch)).cleaned;
    if (unfinished === null) return;
    const now = tx.now();
    await setBatch(tx, batch, {
      cleaning: null,
      ...(unfinished.media ? { media_cleaned_at: now } : {}),
      ...(unfinished.rows ? { rows_cleaned_at: now } : {}),
    });
  });
}

/** Marks a row's files as removed, and removes them from the cache. */
async function forgetMedia(tx: Tx, batch: string, { row, charges }: RowSnapshot, now: number): Promise<void> {
  await tx.deleteFrom('results').where('batch', '=', batch).where('row', '=', row.row).execute();
  if (row.file !== null) {
    await setRow(tx, { batch, row: row.row }, { file: JSON.stringify(removed(row.file, now)) });
  }
  for (const charge of charges) {
    if (charge.file !== null) await updateCharge(tx, charge, { file: JSON.stringify(removed(charge.file, now)) });
  }
  await changeTakes(tx, batch, row, ({ file, ...before }) => {
    return { ...before, file: file === null ? null : removed(file, now) };
  });
}

/** Clears a row's request, in all its takes, its input and its transcript. */
async function forgetRequest(tx: Tx, batch: string, { row }: RowSnapshot): Promise<void> {
  const spec: RowSpec = {
    kind: row.kind,
    ...defined({ dialect: row.spec.dialect, verify: row.spec.verify }),
    extra: {},
  };
  // A cached transcript without its text is useless to other rows.
  await tx
    .deleteFrom('results')
    .where(ofRow({ batch, row: row.row }))
    .where('text', 'is not', null)
    .execute();
  await setRow(tx, { batch, row: row.row }, { ...fromSpec(spec), input: '[]', text: null });
  await changeTakes(tx, batch, row, ({ outcome, failure, file, extraFiles }) => {
    return { outcome, failure, file, extraFiles };
  });
}

/** Changes what is on record of the row before each of its takes. */
async function changeTakes(
  tx: Tx,
  batch: string,
  { row, take }: Pick<RowRecord, 'row' | 'take'>,
  change: (before: TakeRecord['before']) => TakeRecord['before'],
): Promise<void> {
  if (take === 1) return;
  for (const made of await takesOf(tx, batch, row)) {
    await tx
      .updateTable('takes')
      .set({ before: JSON.stringify(change(made.before)) })
      .where(ofRow({ batch, row }))
      .where('take', '=', made.take)
      .execute();
  }
}
