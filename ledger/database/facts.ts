import type { Tx } from '../schema.ts';

/** Puts a fact on record, unless there is one of this name. */
export async function keepFact(tx: Tx, name: string, value: string): Promise<void> {
  await tx
    .insertInto('facts')
    .values({ name, value })
    .onConflict((conflict) => conflict.column('name').doNothing())
    .execute();
}

/** Puts a fact on record in place of the one of this name. */
export async function setFact(tx: Tx, name: string, value: string): Promise<void> {
  await tx
    .insertInto('facts')
    .values({ name, value })
    .onConflict((conflict) => conflict.column('name').doUpdateSet({ value }))
    .execute();
}

/** Its value; undefined if there is none. */
export async function readFact(tx: Tx, name: string): Promise<string | undefined> {
  const found = await tx.selectFrom('facts').select('value').where('name', '=', name).executeTakeFirst();
  return found?.value;
}

export async function removeFact(tx: Tx, name: string): Promise<void> {
  await tx.deleteFrom('facts').where('name', '=', name).execute();
}
