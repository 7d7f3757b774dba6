import type { RowState } from '../../contract/outcomes.ts';
import { prepared } from '../database/prepared.ts';

/**
 * Open rows in this state that belong to no lane, in manifest order. All writers wait meanwhile, so it must look at
 * these rows only.
 *
 * PostgreSQL plans it once, for whatever state. If most rows are in one, it takes every state for as common, and would
 * walk the whole batch in the order of its rows: only a range is sure to be read from the index that has the order of
 * states (`rows_free`). For a list of states, it would walk all of that.
 */
export const selectFreeRows = prepared(
  (db, { batch, state, limit }: { readonly batch: string; readonly state: RowState; readonly limit: number }) =>
    db
      .selectFrom('rows')
      .select('row')
      .where('batch', '=', batch)
      .where('outcome', 'is', null)
      .where('lane', 'is', null)
      .where((eb) => eb.between('state', state, state))
      .orderBy('state')
      .orderBy('row')
      .limit(limit),
);
