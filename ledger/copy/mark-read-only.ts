import { withClock } from '../database/transactions.ts';
import type { Tx } from '../schema.ts';
import type { CopyDialect } from './copy-dialect.ts';
import type { CopySide } from './copy-side.ts';
import { factsAsJson, guardWords, type CopyFactName, type CopyFacts, type WhyReadOnly } from './read-only.ts';

/** Makes a ledger read-only: records why, and makes the database refuse every write with that reason (`guard`). */
export async function markReadOnly(
  tx: Tx,
  dialect: CopyDialect,
  type: WhyReadOnly['type'],
  facts: CopyFacts,
): Promise<void> {
  await setFact(tx, type, facts);
  await dialect.guard(tx, guardWords({ type, ...facts }));
}

/**
 * Makes the destination of a copy writable, once it is filled: removes the guard, and replaces the fact `incoming`, by
 * which it was read-only, with `copied`.
 */
export async function openCopy({ database: { db }, dialect }: CopySide, facts: CopyFacts): Promise<void> {
  await db.transaction().execute(async (transaction) => {
    const tx = withClock(transaction, db);
    await dialect.lockTables(tx);
    await dialect.unguard(tx);
    await tx.deleteFrom('facts').where('name', '=', 'incoming').execute();
    await setFact(tx, 'copied', facts);
  });
}

async function setFact(tx: Tx, name: CopyFactName, facts: CopyFacts): Promise<void> {
  const value = factsAsJson(facts);
  const insert = tx.insertInto('facts').values({ name, value });
  await insert.onConflict((conflict) => conflict.column('name').doUpdateSet({ value })).execute();
}
