import type { Tx } from '../schema.ts';

/** Prefix of the fact about a batch that was open when a copy of the database was accepted, until a person resumes it. */
const HELD = 'copy:held:';

/** From now on, the batch waits for a person. */
export async function hold(tx: Tx, batch: string): Promise<void> {
  await tx
    .insertInto('facts')
    .values({ name: HELD + batch, value: String(tx.now()) })
    .onConflict((conflict) => conflict.column('name').doNothing())
    .execute();
}

/** Whether the batch was open when a copy was accepted, and no person has resumed it since. */
export async function isHeld(tx: Tx, batch: string): Promise<boolean> {
  const facts = tx.selectFrom('facts').select('name');
  return (await facts.where('name', '=', HELD + batch).executeTakeFirst()) !== undefined;
}

/** A person has resumed the batch. */
export async function letGo(tx: Tx, batch: string): Promise<void> {
  await tx
    .deleteFrom('facts')
    .where('name', '=', HELD + batch)
    .execute();
}
