import type { Kysely } from 'kysely';
import type { Schema, Tx } from '../schema.ts';

/** A transaction, also one of a migration; or a ledger in which facts are only read. */
type Facts = Pick<Kysely<Schema>, 'selectFrom' | 'insertInto'>;

/** Puts a fact on record, unless there is one of this name. */
export async function keepFact(tx: Facts, name: string, value: string): Promise<void> {
  await tx
    .insertInto('facts')
    .values({ name, value })
    .onConflict((conflict) => conflict.column('name').doNothing())
    .execute();
}

/** Puts a fact on record in place of the one of this name. */
export async function setFact(tx: Facts, name: string, value: string): Promise<void> {
  await tx
    .insertInto('facts')
    .values({ name, value })
    .onConflict((conflict) => conflict.column('name').doUpdateSet({ value }))
    .execute();
}

/** Its value; undefined if there is none. */
export async function readFact(db: Facts, name: string): Promise<string | undefined> {
  const found = await db.selectFrom('facts').select('value').where('name', '=', name).executeTakeFirst();
  return found?.value;
}

export async function removeFact(tx: Tx, name: string): Promise<void> {
  await tx.deleteFrom('facts').where('name', '=', name).execute();
}
