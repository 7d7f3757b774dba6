import { ACCEPTED, beforeFact, DATABASE_FACT } from '../database/acceptances.ts';
import { WRITERS } from '../database/copy-senders.ts';
import { SET_BACK_FACT, TABLES_HERE, type Here } from './origin.ts';

/** The fact that says which ledger it is. */
const ID = 'id';
/** The name under which {@link SELECT_FACTS} says which tables these are. */
const TABLES = 'tables';

/** Facts of these names, and where they are. */
export const SELECT_FACTS = `select name, value from facts where name = any($1)
  union all select '${TABLES}', ${TABLES_HERE}`;

/** What a process has to know of a database before it writes to it. */
export interface FoundFacts {
  readonly here: Here;
  readonly ledger: string | undefined;
  /**
   * In which database the ledger was last written. Undefined for one that nobody has written to since it was made or
   * accepted.
   */
  readonly ledgerOf: string | undefined;
  /** What this process has left in it. */
  readonly mark: string | undefined;
  /** How many processes have ever begun to write to it. */
  readonly writers: number;
  /** Those of the acceptances that were asked about that the present one comes after. */
  readonly before: readonly string[];
}

/** The values of {@link SELECT_FACTS}: `acceptances` are asked about. */
export function parametersFor(
  mark: string,
  acceptances: readonly (string | undefined)[],
): readonly [readonly string[]] {
  const before = acceptances.filter((one) => one !== undefined).map(beforeFact);
  return [[DATABASE_FACT, ID, SET_BACK_FACT, WRITERS, mark, ...before]];
}

/** What was found by a session of this origin; `acceptances`: as they were asked about. */
export function toFoundFacts(
  lines: readonly unknown[],
  origin: string,
  mark: string,
  acceptances: readonly (string | undefined)[],
): FoundFacts {
  const facts = new Map(
    (lines as readonly { readonly name: string; readonly value: string }[]).map(({ name, value }) => [name, value]),
  );
  return {
    here: { origin, tables: facts.get(TABLES) ?? '', setBack: facts.get(SET_BACK_FACT) },
    ledger: facts.get(ID),
    ledgerOf: facts.get(DATABASE_FACT),
    mark: facts.get(mark),
    writers: Number(facts.get(WRITERS) ?? 0),
    before: acceptances.filter((one) => one !== undefined).filter((one) => facts.get(beforeFact(one)) === ACCEPTED),
  };
}
