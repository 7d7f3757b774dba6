import type { Kysely } from 'kysely';
import type { Schema, Tx } from '../schema.ts';

/*
 * Facts: small values about the ledger itself, by name, in the table `facts`.
 */

/** The operations used here, which a transaction, a migration and the database itself have. */
type Facts = Pick<Kysely<Schema>, 'selectFrom' | 'insertInto'>;

/** Records a fact, unless there is one of this name. */
export async function keepFact(tx: Facts, name: string, value: string): Promise<void> {
  await tx
    .insertInto('facts')
    .values({ name, value })
    .onConflict((conflict) => conflict.column('name').doNothing())
    .execute();
}

/** Records a fact, replacing the one of this name. */
export async function setFact(tx: Facts, name: string, value: string): Promise<void> {
  await tx
    .insertInto('facts')
    .values({ name, value })
    .onConflict((conflict) => conflict.column('name').doUpdateSet({ value }))
    .execute();
}

/** Returns the value of a fact; undefined if there is none. */
export async function readFact(db: Facts, name: string): Promise<string | undefined> {
  const found = await db.selectFrom('facts').select('value').where('name', '=', name).executeTakeFirst();
  return found?.value;
}

/** Removes a fact, if there is one of this name. */
export async function removeFact(tx: Tx, name: string): Promise<void> {
  await tx.deleteFrom('facts').where('name', '=', name).execute();
}
