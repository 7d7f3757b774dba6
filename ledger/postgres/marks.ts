import { DATABASE_FACT } from '../database/acceptances.ts';
import { WRITERS } from '../database/copy-senders.ts';
import { TABLES_HERE } from './origin.ts';

/** The server's time, ms since 1970: the clocks of hosts may be wrong by any amount. */
const SERVER_TIME = '(extract(epoch from clock_timestamp()) * 1000)::bigint';

/** Leaves a mark, with the time behind it. */
export const SET_MARK = `insert into facts (name, value) values ($1, $2::text || ' ' || ${SERVER_TIME})
  on conflict (name) do update set value = excluded.value`;

/** Counts a process that begins to write. */
export const COUNT_WRITER = `insert into facts as now (name, value) values ('${WRITERS}', '1')
  on conflict (name) do update set value = (now.value::bigint + 1)::text`;

/**
 * Removes a mark where all is on record that its process has written: in the database that this acceptance made the
 * ledger's own, behind the mark of the last commit.
 */
export const REMOVE_MARK = `delete from facts where name = $1 and split_part(value, ' ', 1) = $2
  and exists (select from facts where name = '${DATABASE_FACT}' and value in ($3::text, $3::text || ' ' || ${TABLES_HERE}))`;

/** A fact that a write transaction leaves if it is committed. Its value is a number; on record, a time is behind it. */
export interface CommitMark {
  readonly name: string;
  readonly value: string;
}

/** The number in a mark; 0 if there is none. */
export function markNumber(value: string | undefined): number {
  return value === undefined ? 0 : Number.parseInt(value, 10);
}

/** A mark that was committed, or may be. */
export interface KeptMark extends CommitMark {
  /** By what its database was accepted as the ledger's: its fact, without the tables. */
  readonly acceptedAs: string;
  /** Its transaction was to put that on record, as the first one after a person accepted it, or of all. */
  readonly isFirst: boolean;
  readonly ledger: string | undefined;
  /** How many processes had begun to write by then, this one among them. */
  readonly writers: number;
}
