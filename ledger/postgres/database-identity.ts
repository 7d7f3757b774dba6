import { acceptanceIn, beforeFact, DATABASE_FACT, MISSED } from '../database/acceptances.ts';
import { BEGUN_SINCE, UNSEEN } from '../database/copy-senders.ts';
import { FORMER_OR_ACCEPT, LedgerAway } from '../errors.ts';
import type { FoundFacts } from './found-facts.ts';
import { markNumber } from './marks.ts';
import { isWrittenHere, newFact, SET_BACK_FACT } from './origin.ts';
import type { Session } from './session.ts';

/**
 * What a database is to a process that wants to write to it: `ours`, which it may write to; a `copy` that nobody has
 * accepted; `set-back`: it looks like the original, but lacks what this process has written; `another-ledger`, or not
 * yet restored so far that its ledger is known.
 */
export type DatabaseIdentity = 'ours' | 'copy' | 'set-back' | 'another-ledger';

/** The problem with a database that may not be written to, as part of a message: a copy, or one that was set back. */
const COPY =
  'its database is not the one that was last written, but a copy: a replica that took over, a restored backup, a disk that was set back, or a former server that answers again. The copy may lack the last records, and what was sent since would be paid for again. Nothing is sent';
/** The same for another ledger's. */
const ANOTHER = 'its database is now that of another ledger. Nothing is sent';

/** Whether the database's acceptance (`database/acceptances.ts`) is this one, or supersedes it. */
export function comesAfter({ ledgerOf, before }: FoundFacts, acceptance: string): boolean {
  return (ledgerOf !== undefined && acceptanceIn(ledgerOf) === acceptance) || before.includes(acceptance);
}

/** The last commit of a process. */
export interface Written {
  /** Id of the ledger. */
  readonly ledger: string | undefined;
  /** The acceptance of the database; undefined if it had none. */
  readonly acceptedAs: string | undefined;
  /** Number of the commit, as in the process's mark (`commit-marks.ts`). */
  readonly value: string;
}

/**
 * Decides what a database is to this process. `written`: its last commit; undefined if it has not written yet.
 *
 * An acceptance that does not supersede the one that this process wrote to is not a newer one, given by a person since,
 * but an older one: that of a former primary, or of a disk that was set back.
 */
export function identify(found: FoundFacts, written: Written | undefined): DatabaseIdentity {
  if (written !== undefined && found.ledger !== written.ledger) return 'another-ledger';
  const { ledgerOf } = found;
  if (ledgerOf !== undefined && !isWrittenHere(ledgerOf, found.here)) return 'copy';
  if (written?.acceptedAs === undefined) return 'ours';
  const isSame = ledgerOf !== undefined && acceptanceIn(ledgerOf) === written.acceptedAs;
  const hasAll = isSame ? markNumber(found.mark) >= markNumber(written.value) : comesAfter(found, written.acceptedAs);
  return hasAll ? 'ours' : 'set-back';
}

/** Returns the error for a database that may not be written to. */
export function refusal(identity: DatabaseIdentity, place: string): LedgerAway {
  return identity === 'another-ledger'
    ? new LedgerAway(place, ANOTHER, 'Connect to the former database, or end this process.', undefined, true)
    : new LedgerAway(place, COPY, FORMER_OR_ACCEPT, undefined, true);
}

/** Inserts a fact if there is none of its name. */
const KEEP = 'insert into facts (name, value) values ($1, $2) on conflict (name) do nothing';
/** Inserts or replaces a fact. */
export const SET_FACT =
  'insert into facts (name, value) values ($1, $2) on conflict (name) do update set value = excluded.value';

/**
 * Records in a refused database what this process knows about it, because processes that start later could not know:
 * what the database lacks, for the person who accepts it; and if it is set back, that nobody may write to it before.
 * `reliesOn`: the acceptance that this process has written to.
 */
export async function recordRefusal(
  session: Session,
  found: FoundFacts,
  identity: DatabaseIdentity,
  reliesOn: string | undefined,
): Promise<void> {
  if (reliesOn === undefined || identity === 'another-ledger') return;
  const facts: (readonly [statement: string, name: string, value: string])[] = [];
  if (!comesAfter(found, reliesOn)) facts.push([KEEP, beforeFact(reliesOn), MISSED]);
  // This process started after the copy was made, and others may have, too.
  if (found.mark === undefined) facts.push([SET_FACT, UNSEEN, BEGUN_SINCE]);
  if (identity === 'set-back') {
    const fact = found.ledgerOf ?? newFact(found.here);
    if (found.ledgerOf === undefined) facts.push([KEEP, DATABASE_FACT, fact]);
    facts.push([SET_FACT, SET_BACK_FACT, acceptanceIn(fact)]);
  }
  for (const [statement, ...values] of facts) await session.query(statement, values);
}
