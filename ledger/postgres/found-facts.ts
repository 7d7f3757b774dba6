import { ACCEPTED, beforeFact, DATABASE_FACT } from '../database/acceptances.ts';
import { WRITERS } from '../database/copy-senders.ts';
import { SET_BACK_FACT, TABLES_HERE, type Here } from './origin.ts';

/** The fact with the ledger's random id. */
const ID = 'id';
/** The name under which {@link SELECT_FACTS} returns the identity of the tables ({@link TABLES_HERE}). */
const TABLES = 'tables';

/** Selects the facts with these names (`$1`), and the identity of the tables. */
export const SELECT_FACTS = `select name, value from facts where name = any($1)
  union all select '${TABLES}', ${TABLES_HERE}`;

/** The facts that a process reads of a database before it writes to it. */
export interface FoundFacts {
  readonly here: Here;
  /** Id of the ledger. */
  readonly ledger: string | undefined;
  /**
   * The database in which the ledger was last written, and its acceptance ({@link DATABASE_FACT}). Undefined for one
   * that nobody has written to since it was created or accepted.
   */
  readonly ledgerOf: string | undefined;
  /** The mark of this process; undefined if the database has none. */
  readonly mark: string | undefined;
  /** How many processes have ever begun to write to it. */
  readonly writers: number;
  /** Those of the requested acceptances that the present one supersedes. */
  readonly before: readonly string[];
}

/** Returns the parameters of {@link SELECT_FACTS}. `mark`: name of this process's mark. `acceptances`: see `before`. */
export function parametersFor(
  mark: string,
  acceptances: readonly (string | undefined)[],
): readonly [readonly string[]] {
  const before = acceptances.filter((one) => one !== undefined).map(beforeFact);
  return [[DATABASE_FACT, ID, SET_BACK_FACT, WRITERS, mark, ...before]];
}

/** Converts the answer of {@link SELECT_FACTS}. `origin`: of the session. Others: as for {@link parametersFor}. */
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
