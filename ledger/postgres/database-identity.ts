import { acceptanceIn, beforeFact, DATABASE_FACT, MISSED } from '../database/acceptances.ts';
import { BEGUN_SINCE, UNSEEN } from '../database/copy-senders.ts';
import { FORMER_OR_ACCEPT, LedgerAway } from '../errors.ts';
import type { FoundFacts } from './found-facts.ts';
import { markNumber } from './marks.ts';
import { isWrittenHere, newFact, SET_BACK_FACT } from './origin.ts';
import type { Session } from './sessions.ts';

/**
 * What a database is to a process: `ours`, to be written to; a `copy` that nobody has accepted; `set-back`, which looks
 * like the original, but lacks what this process has written; or of `another-ledger`, or not restored so far as to say
 * of which.
 */
export type DatabaseIdentity = 'ours' | 'copy' | 'set-back' | 'another-ledger';

const COPY =
  'its database is not the one that was last written, but a copy: a replica that took over, a restored backup, a disk that was set back, or a former server that answers again. The copy may lack the last records, and what was sent since would be paid for again. Nothing is sent';
const ANOTHER = 'its database is now that of another ledger. Nothing is sent';

/** Whether the database is accepted as what it was then, or a person has accepted it since. */
export function comesAfter({ ledgerOf, before }: FoundFacts, acceptance: string): boolean {
  return (ledgerOf !== undefined && acceptanceIn(ledgerOf) === acceptance) || before.includes(acceptance);
}

/** What a process has written: the number of its last commit, where, and as what that was accepted, if anything. */
export interface Written {
  readonly ledger: string | undefined;
  readonly acceptedAs: string | undefined;
  readonly value: string;
}

/**
 * An acceptance that does not come after the one that this process wrote to is none that a person has given since, but
 * one of before: the former primary's, or that of a disk before it was set back.
 */
export function identify(found: FoundFacts, written: Written | undefined): DatabaseIdentity {
  if (written !== undefined && found.ledger !== written.ledger) return 'another-ledger';
  const { ledgerOf } = found;
  if (ledgerOf !== undefined && !isWrittenHere(ledgerOf, found.here)) return 'copy';
  if (written?.acceptedAs === undefined) return 'ours';
  const isSame = ledgerOf !== undefined && acceptanceIn(ledgerOf) === written.acceptedAs;
  const isWhole = isSame ? markNumber(found.mark) >= markNumber(written.value) : comesAfter(found, written.acceptedAs);
  return isWhole ? 'ours' : 'set-back';
}

/** The error for a database that may not be written to. */
export function refusal(identity: DatabaseIdentity, place: string): LedgerAway {
  return identity === 'another-ledger'
    ? new LedgerAway(place, ANOTHER, 'Connect to the former database, or end this process.', undefined, true)
    : new LedgerAway(place, COPY, FORMER_OR_ACCEPT, undefined, true);
}

const KEEP = 'insert into facts (name, value) values ($1, $2) on conflict (name) do nothing';
export const SET_FACT =
  'insert into facts (name, value) values ($1, $2) on conflict (name) do update set value = excluded.value';

/**
 * A process puts on record what it knows of a database that it does not write to, and those do not that begin later:
 * what it lacks, for the person who accepts it, and that it is set back, so that nobody writes to it before.
 * `reliesOn`: the acceptance of what this process has written.
 */
export async function recordRefusal(
  session: Session,
  found: FoundFacts,
  identity: DatabaseIdentity,
  reliesOn: string | undefined,
): Promise<void> {
  if (reliesOn === undefined || identity === 'another-ledger') return;
  const told: (readonly [statement: string, name: string, value: string])[] = [];
  if (!comesAfter(found, reliesOn)) told.push([KEEP, beforeFact(reliesOn), MISSED]);
  // It has begun after the copy was made, and others may have.
  if (found.mark === undefined) told.push([SET_FACT, UNSEEN, BEGUN_SINCE]);
  if (identity === 'set-back') {
    const fact = found.ledgerOf ?? newFact(found.here);
    if (found.ledgerOf === undefined) told.push([KEEP, DATABASE_FACT, fact]);
    told.push([SET_FACT, SET_BACK_FACT, acceptanceIn(fact)]);
  }
  for (const [statement, ...values] of told) await session.query(statement, values);
}
