import type { Kysely } from 'kysely';
import { MIGRATION_TABLE } from './migrate.ts';
import type { Schema } from './schema.ts';

/** When and by what a ledger was made, as it says itself: whoever made it can have it say anything. */
export interface LedgerOrigin {
  /** When its first table was made, ms; null: it does not say. */
  readonly madeAt: number | null;
  /** False if it was made by a version that records outside of it which ledgers its user has made. */
  readonly isOfEarlierVersion: boolean;
}

const RECORDED = 'recorded-outside';

/** Reads where a ledger comes from. One that is new says from now on that its user's record has it. */
export async function readOrigin(db: Kysely<Schema>, isNew: boolean): Promise<LedgerOrigin> {
  if (isNew) {
    const fact = db.insertInto('facts').values({ name: RECORDED, value: 'true' });
    // Another process may have made it at the same moment.
    await fact.onConflict((conflict) => conflict.doNothing()).execute();
  }
  const recorded = await db.selectFrom('facts').select('value').where('name', '=', RECORDED).executeTakeFirst();
  const first = await db
    .withTables<{ [MIGRATION_TABLE]: { name: string; timestamp: string } }>()
    .selectFrom(MIGRATION_TABLE)
    .select('timestamp')
    .orderBy('name')
    .executeTakeFirst();
  // A view could say that it was made a moment ago, whenever it is asked.
  const tables = await db.introspection.getTables({ withInternalKyselyTables: true });
  const isTable = tables.some(({ name, isView }) => name === MIGRATION_TABLE && !isView);
  const madeAt = isTable ? Date.parse(first?.timestamp ?? '') : NaN;
  return { madeAt: Number.isNaN(madeAt) ? null : madeAt, isOfEarlierVersion: recorded === undefined };
}
