import { DATABASE_FACT } from '../database/acceptances.ts';
import { WRITERS } from '../database/copy-senders.ts';
import { TABLES_HERE } from './origin.ts';

/*
 * SQL for the marks of commits (`commit-marks.ts`), which are facts named after their process.
 */

/** The server's time, ms since 1970: the clocks of the processes' hosts may be wrong by any amount. */
const SERVER_TIME = '(extract(epoch from clock_timestamp()) * 1000)::bigint';

/** Sets a mark: its number (`$2`), and after a space the time. */
export const SET_MARK = `insert into facts (name, value) values ($1, $2::text || ' ' || ${SERVER_TIME})
  on conflict (name) do update set value = excluded.value`;

/** Counts a process that begins to write. */
export const COUNT_WRITER = `insert into facts as now (name, value) values ('${WRITERS}', '1')
  on conflict (name) do update set value = (now.value::bigint + 1)::text`;

/**
 * Removes a mark, but only in a database that has everything its process has written: with the number of its last
 * commit (`$2`), and the acceptance that it wrote to (`$3`).
 */
export const REMOVE_MARK = `delete from facts where name = $1 and split_part(value, ' ', 1) = $2
  and exists (select from facts where name = '${DATABASE_FACT}' and value in ($3::text, $3::text || ' ' || ${TABLES_HERE}))`;

/** The mark of a write transaction: the name of a fact, and the number that it sets if it is committed. */
export interface CommitMark {
  readonly name: string;
  readonly value: string;
}

/** Returns the number in the value of a mark; 0 if there is none. */
export function markNumber(value: string | undefined): number {
  return value === undefined ? 0 : Number.parseInt(value, 10);
}

/** A mark that was committed, or may have been. */
export interface KeptMark extends CommitMark {
  /** The acceptance of its database (`acceptanceIn`). */
  readonly acceptedAs: string;
  /** Whether its transaction was the first of that acceptance, and so recorded it. */
  readonly isFirst: boolean;
  /** Id of the ledger. */
  readonly ledger: string | undefined;
  /** How many processes had begun to write by then, including this one. */
  readonly writers: number;
}
