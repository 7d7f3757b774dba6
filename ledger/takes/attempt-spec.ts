import type { AttemptKey } from '../../contract/batch.ts';
import type { RowSpec } from '../../contract/row-kinds.ts';
import { SPEC_COLUMNS, toSpec } from '../records.ts';
import { takesOf } from './takes.ts';
import type { Db, Tx } from '../schema.ts';

type TakeKey = Pick<AttemptKey, 'batch' | 'row' | 'take'>;

/** What a row asked for at a take; undefined if there is no such row. */
export async function specAt(db: Db | Tx, key: TakeKey): Promise<RowSpec | undefined> {
  const line = await db
    .selectFrom('rows')
    .select([...SPEC_COLUMNS, 'take'])
    .where('batch', '=', key.batch)
    .where('row', '=', key.row)
    .executeTakeFirst();
  if (line === undefined) return undefined;
  const before = key.take < line.take ? await specBefore(db, key) : undefined;
  return before ?? toSpec(line);
}

/** The row's input at this take, if a later take has changed it. */
export async function specBefore(db: Db | Tx, { batch, row, take }: TakeKey): Promise<RowSpec | undefined> {
  const takes = await takesOf(db, batch, row);
  return takes.find((later) => later.take > take && later.before.spec !== undefined)?.before.spec;
}
