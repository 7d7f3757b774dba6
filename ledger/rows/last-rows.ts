import type { Compilable } from 'kysely';
import type { AttemptKey, BatchSettings } from '../../contract/batch.ts';
import { hasResult, type Outcome } from '../../contract/outcomes.ts';
import { resultStepOf, type RowSpec, type TtsMode } from '../../contract/row-kinds.ts';
import type { Account } from '../../contract/names.ts';
import { requireBatch } from '../batches/read-batches.ts';
import { isChosen, ofRow } from '../conditions.ts';
import { preparedEach } from '../database/prepared.ts';
import { toSpec, type SPEC_COLUMNS } from './row-records.ts';
import type { Db, RowLine, Tx } from '../schema.ts';
import { readSnapshot } from '../database/transactions.ts';

/*
 * The rows that a manifest's rows are compared with, by id, before they are paid for: a plan says of each whether its
 * id is new, its input has changed since the last row with that id, or it is paid for again
 * (`batches/plan/row-biller.ts`).
 */

/**
 * The last row with an id. Rows that `--limit` or `--sample` left out do not count, nor do those of batches whose
 * inputs `clean` has removed, because nothing is left to compare.
 */
export interface LastRow {
  readonly id: string;
  readonly batch: string;
  readonly row: number;
  readonly spec: RowSpec;
  /** TTS mode of its batch. */
  readonly tts: TtsMode;
  /** Null while the row is open. */
  readonly outcome: Outcome | null;
  /**
   * Cache key of its last step's result. Null if it has no result, or the result has no key: its batch used no cache,
   * or the media behind its links could not be identified.
   */
  readonly key: string | null;
  /** True if the result has no key because its batch ran with `--cache off`. */
  readonly isUncached: boolean;
}

type Found = Pick<RowLine, 'id' | 'batch' | 'row' | 'outcome' | (typeof SPEC_COLUMNS)[number]>;

/** Selects the last row with an id, over all batches of an account. Exported for the test of its query plan. */
export function selectLastRow(
  db: Db | Tx,
  { apiUrl, account, id }: Account & { readonly id: string },
): Compilable<Found> & { execute(): Promise<Found[]> } {
  return (
    db
      .selectFrom('rows')
      .innerJoin('batches', 'batches.name', 'rows.batch')
      .select(['rows.id', 'rows.batch', 'rows.row', 'rows.outcome'])
      .select(['rows.kind', 'rows.dialect', 'rows.voice', 'rows.name', 'rows.verify', 'rows.spec'])
      .where('rows.id', '=', id)
      .where('batches.api_url', '=', apiUrl)
      .where('batches.account', '=', account)
      .where('batches.state', '<>', 'loading')
      // `clean` has removed the inputs of such a batch.
      .where('batches.rows_cleaned_at', 'is', null)
      .where(isChosen('rows'))
      // Ordered by load sequence, so that the first match is the answer: an id may be in every nightly batch.
      .orderBy('rows.loaded', 'desc')
      .limit(1)
  );
}

const lastOf = preparedEach(selectLastRow);

/** Selects the last attempt of a step of a row. */
const lastAttempts = preparedEach((db, { batch, row, step }: Pick<AttemptKey, 'batch' | 'row' | 'step'>) =>
  db
    .selectFrom('charges')
    .select(['batch', 'row', 'result_key'])
    .where(ofRow({ batch, row }))
    .where('step', '=', step)
    .orderBy('take', 'desc')
    .orderBy('attempt', 'desc')
    .limit(1),
);

/** Returns the last row of each of these ids, over all batches of an account. Ids without one are left out. */
export async function lastRows(db: Db, account: Account, ids: readonly string[]): Promise<readonly LastRow[]> {
  return readSnapshot(db, async (tx) => {
    const found = await lastOf(
      tx,
      ids.map((id) => ({ ...account, id })),
    );
    const rows = found.map((line) => ({ ...line, spec: toSpec(line) }));
    const made = rows.filter(({ outcome }) => hasResult(outcome));
    const attempts = await lastAttempts(
      tx,
      made.map(({ batch, row, spec }) => ({ batch, row, step: resultStepOf(spec) })),
    );
    const keys = new Map(attempts.map((one) => [placeOf(one), one.result_key]));
    const settingsOf = new Map<string, BatchSettings>();
    const last: LastRow[] = [];
    for (const { id, batch, row, outcome, spec } of rows) {
      const settings = settingsOf.get(batch) ?? (await requireBatch(tx, batch)).settings;
      settingsOf.set(batch, settings);
      const key = keys.get(placeOf({ batch, row })) ?? null;
      const isUncached = hasResult(outcome) && key === null && settings.cache === 'off';
      last.push({ id, batch, row, outcome, tts: settings.tts, spec, key, isUncached });
    }
    return last;
  });
}

/** A name for a row of any batch. */
const placeOf = ({ batch, row }: Pick<AttemptKey, 'batch' | 'row'>): string => `${batch}/${row}`;
