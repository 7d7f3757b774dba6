import type { Compilable } from 'kysely';
import type { RowState } from '../../contract/outcomes.ts';
import type { Db } from '../schema.ts';

/**
 * Open rows in these states that belong to no lane; in manifest order within a state.
 */
export function selectFreeRows(
  db: Db,
  batch: string,
  states: readonly RowState[],
  limit: number,
): Compilable & { execute(): Promise<{ row: number }[]> } {
  return db
    .selectFrom('rows')
    .select('row')
    .where('batch', '=', batch)
    .where('outcome', 'is', null)
    .where('lane', 'is', null)
    .where('state', 'in', states)
    .orderBy('state')
    .orderBy('row')
    .limit(limit);
}
