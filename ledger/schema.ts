import type { Insertable, Kysely, Selectable, Transaction } from 'kysely';
import type { UnitOfWork } from './database/unit-of-work.ts';
import { batches, notices, rowCounts, sums } from './tables/batches.ts';
import { awaitedVoices, decisions, rows, takes } from './tables/rows.ts';
import { chargeRatios, charges, results } from './tables/charges.ts';
import type { LineOf, Table } from './tables/columns.ts';
import { actions } from './tables/history.ts';
import { facts, jobHints, lanes, limiters, textLimits, webhooks, workerDuties, workers } from './tables/processes.ts';
import { allowedFirings, occurrences, schedules } from './tables/schedules.ts';
import type { VersionName } from './versions.ts';

/** The tables that each version adds, by name. A table comes after those that its foreign keys refer to. */
export const TABLES_OF = {
  '0.1': {
    facts,
    ...{ batches, rows, charges, takes, decisions, results },
    ...{ row_counts: rowCounts, sums, charge_ratios: chargeRatios },
    ...{ lanes, workers, limiters, text_limits: textLimits, webhooks },
    ...{ awaited_voices: awaitedVoices, notices },
    ...{ schedules, allowed_firings: allowedFirings, occurrences },
  },
  '0.2': { actions },
  '0.3': { job_hints: jobHints },
  '0.4': { worker_duties: workerDuties },
  '0.5': {},
  '0.6': {},
} satisfies Readonly<Record<VersionName, Readonly<Record<string, Table>>>>;

/** Every table. */
export const TABLES = { ...TABLES_OF['0.1'], ...TABLES_OF['0.2'], ...TABLES_OF['0.3'], ...TABLES_OF['0.4'] };

/**
 * The tables for Kysely: the type of the lines of each. In this room a *line* is a record of a table; a *row* is a row
 * of a manifest, which has a line in the table `rows`.
 */
export type Schema = { [Name in keyof typeof TABLES]: LineOf<(typeof TABLES)[Name]> };

/** The ledger's clock, carried by its database and by each transaction. */
export interface Clock {
  /** ms since 1970. */
  readonly now: () => number;
}

/** The ledger's database. */
export type Db = Kysely<Schema> & Clock;
/**
 * A transaction. `unit`: the unit of work of a write transaction on a database server (`database/unit-of-work.ts`);
 * undefined for SQLite and for read transactions.
 */
export type Tx = Transaction<Schema> & Clock & { readonly unit?: UnitOfWork | undefined };
/** A row as it is read from its table; `toRow` makes a record of it. */
export type RowLine = Selectable<Schema['rows']>;
/** A row to insert: columns with a default may be left out. */
export type NewRowLine = Insertable<Schema['rows']>;
/** An attempt, which is one paid request of a row, as it is read from its table; `toCharge` makes a record of it. */
export type ChargeLine = Selectable<Schema['charges']>;
