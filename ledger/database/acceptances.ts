import type { Tx } from '../schema.ts';
import { setFact } from './facts.ts';

/**
 * The fact that says in which database a ledger was last written. A database over the network may be replaced behind
 * its address by a copy that lacks the last records: a replica that took over, or a restored backup. Whoever writes
 * compares.
 */
export const DATABASE_FACT = 'database';

/** Prefix of the facts that name the former acceptances of a ledger, and those that it lacks. */
const BEFORE = 'before:';
/** The present acceptance comes after that one: what processes wrote to it is behind them. */
export const ACCEPTED = 'accepted';
/**
 * A process has written to a database of that acceptance, which this one does not come after. No person knows it yet.
 */
export const MISSED = 'missed';

/** The name of the fact about such an acceptance. */
export function beforeFact(acceptance: string): string {
  return BEFORE + acceptance;
}

/** What is compared with the fact of a later moment: without the tables, which an older program does not write. */
export function acceptanceIn(fact: string): string {
  return fact.split(' ').slice(0, 2).join(' ');
}

/** A person accepts this database: it comes after what it was accepted as, and after what it is known to lack. */
export async function endAcceptance(tx: Tx): Promise<void> {
  const ended = await tx.deleteFrom('facts').where('name', '=', DATABASE_FACT).returningAll().execute();
  for (const { value } of ended) await setFact(tx, beforeFact(acceptanceIn(value)), ACCEPTED);
  await tx
    .updateTable('facts')
    .set({ value: ACCEPTED })
    .where('name', 'like', `${BEFORE}%`)
    .where('value', '=', MISSED)
    .execute();
}
