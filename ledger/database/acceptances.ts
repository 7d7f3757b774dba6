import type { Tx } from '../schema.ts';
import { setFact } from './facts.ts';

/*
 * Which database a ledger was last written in. A database server may be replaced, behind its address, by a copy that
 * lacks the last records: a replica that took over, or a restored backup. So the ledger records the database that it
 * belongs to, and each writer compares (`postgres/database-identity.ts`). A person can accept a copy as the ledger;
 * each such *acceptance* has an id, and supersedes the one before.
 */

/** The fact that identifies the database in which the ledger was last written, and its acceptance. */
export const DATABASE_FACT = 'database';

/** Prefix of the facts about other acceptances; their values are {@link ACCEPTED} or {@link MISSED}. */
const BEFORE = 'before:';
/** The present acceptance supersedes that one. */
export const ACCEPTED = 'accepted';
/** A process has written to a database of that acceptance, of which this copy knows nothing. No person knows it yet. */
export const MISSED = 'missed';

/** Returns the name of the fact about another acceptance. */
export function beforeFact(acceptance: string): string {
  return BEFORE + acceptance;
}

/**
 * Returns the acceptance in a value of {@link DATABASE_FACT}, for comparing: server and id, without the tables, which
 * older programs do not write.
 */
export function acceptanceIn(fact: string): string {
  return fact.split(' ').slice(0, 2).join(' ');
}

/**
 * Records that a person accepts this database: it supersedes its own acceptance, and those that it is known to lack.
 */
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
