import { randomUUID } from 'node:crypto';
import { DATABASE_FACT } from '../database/accept-copy.ts';
import { MARK } from '../database/copy-doubts.ts';
import { isOf, isWrittenHere, SET_BACK_FACT, TABLES_HERE, type Here } from './origin.ts';
import { BEGIN_WRITING, type Sessions } from './sessions.ts';

/** The server's time, ms since 1970: the clocks of hosts may be wrong by any amount. */
const SERVER_TIME = '(extract(epoch from clock_timestamp()) * 1000)::bigint';

/** The name under which {@link SELECT_FACTS} says which tables these are. */
const TABLES = 'tables';

/** Two facts, and where they are. */
export const SELECT_FACTS = `select name, value from facts where name in ($1, $2, '${SET_BACK_FACT}')
  union all select '${TABLES}', ${TABLES_HERE}`;

/** Where the facts were read that a session of this origin has read. */
export function placeOf(facts: ReadonlyMap<string, string>, origin: string): Here {
  return { origin, tables: facts.get(TABLES) ?? '', setBack: facts.get(SET_BACK_FACT) };
}

/** Leaves a mark, with the time behind it. */
export const SET_MARK = `insert into facts (name, value) values ($1, $2::text || ' ' || ${SERVER_TIME})
  on conflict (name) do update set value = excluded.value`;

/**
 * Removes a mark where all is on record that its process has written: in the database that this acceptance made the ledger's
 * own, behind the mark of the last commit.
 */
const REMOVE_MARK = `delete from facts where name = $1 and split_part(value, ' ', 1) = $2
  and exists (select from facts where name = '${DATABASE_FACT}' and value in ($3::text, $3::text || ' ' || ${TABLES_HERE}))`;

/** A fact that a write transaction leaves if it is committed. Its value is a number; on record, a time is behind it. */
export interface CommitMark {
  readonly name: string;
  readonly value: string;
}

/** The number in a mark; 0 if there is none. */
export function numberOf(value: string | undefined): number {
  return value === undefined ? 0 : Number.parseInt(value, 10);
}

/** A mark that was committed, or may be. */
export interface KeptMark extends CommitMark {
  /** By what its database was accepted as the ledger's: its fact, without the tables. */
  readonly acceptedAs: string;
}

/**
 * How a process finds out whether a transaction was committed if the answer to its commit was lost.
 *
 * Each process has one fact, in which each of its transactions writes a number of its own. Once the former transaction
 * has ended, which the writers' lock proves, the fact says whether it was committed. PostgreSQL's own number of the
 * transaction would not do (`pg_xact_status`): a server that is killed may give the number of a lost transaction to a
 * later one, which commits, and an intent would be taken for recorded that is not.
 */
export class CommitMarks {
  readonly #name = `${MARK}${randomUUID()}`;
  #last = 0;
  #kept: KeptMark | undefined;

  /** The mark of the last transaction that was committed; undefined if there was none. */
  get kept(): KeptMark | undefined {
    return this.#kept;
  }

  /** A transaction was committed. */
  keep(mark: KeptMark): void {
    this.#kept = mark;
  }

  /** The mark of the next transaction. */
  next(): CommitMark {
    this.#last += 1;
    return { name: this.#name, value: String(this.#last) };
  }

  /**
   * Whether the transaction of this mark was committed. Waits until it has ended. In a copy that a person has accepted it
   * is whether the copy has it: whoever waits for the answer has sent nothing yet. Throws `LedgerAway`.
   */
  async wasCommitted(sessions: Sessions, { name, value, acceptedAs }: KeptMark): Promise<boolean> {
    return sessions.using(async (session) => {
      await session.query(BEGIN_WRITING, []);
      const { rows } = await session.query(SELECT_FACTS, [DATABASE_FACT, name]);
      await session.query('rollback', []);
      const facts = new Map((rows as CommitMark[]).map((fact) => [fact.name, fact.value]));
      const { origin } = session;
      const ledgerOf = facts.get(DATABASE_FACT);
      const isUnaccepted = ledgerOf !== undefined && !isWrittenHere(ledgerOf, placeOf(facts, origin));
      // The mark of an earlier transaction tells a copy from a database that is another ledger's.
      const hasMark = facts.has(name);
      const isOurs = isOf(origin, acceptedAs) || hasMark;
      // Once a person has accepted a copy with the mark, it can be said.
      if (isUnaccepted || !isOurs) throw sessions.notTheSame(hasMark);
      return numberOf(facts.get(name)) === numberOf(value);
    });
  }

  /**
   * Removes the mark of this process, which ends. Best effort. Those of processes that were killed stay: one that only has
   * not written for long, and lacked its mark, would take the database for one that was set back. In a copy that lacks what
   * this process has written, its mark stays, too: it is all that says so, and whoever accepts the copy is told by it.
   */
  async remove(sessions: Sessions): Promise<void> {
    if (this.#kept === undefined) return;
    const { name, value, acceptedAs } = this.#kept;
    await sessions
      .using(async (session) => {
        if (isOf(session.origin, acceptedAs)) await session.query(REMOVE_MARK, [name, value, acceptedAs]);
      })
      .catch(() => undefined);
  }
}
