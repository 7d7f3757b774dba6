import type { Insertable, Kysely, Selectable, Transaction } from 'kysely';
import type { BatchesTable, NoticesTable, ReasonsTable, RowCountsTable, SumsTable } from './tables/batches.ts';
import type { AwaitedVoicesTable, DecisionsTable, RowsTable, TakesTable } from './tables/rows.ts';
import type { ChargeRatiosTable, ChargesTable, ResultsTable } from './tables/charges.ts';
import type { AllowedFiringsTable, OccurrencesTable, SchedulesTable } from './tables/schedules.ts';
import type { LanesTable, LimitersTable, TextLimitsTable, WebhooksTable, WorkersTable } from './tables/processes.ts';

/** One row per fact about the ledger itself, e.g. its `id`. */
export interface FactsTable {
  name: string;
  value: string;
}

/** Every table, by its name. The columns of the others are in `tables/`. */
export interface Schema {
  facts: FactsTable;
  batches: BatchesTable;
  rows: RowsTable;
  charges: ChargesTable;
  results: ResultsTable;
  takes: TakesTable;
  lanes: LanesTable;
  workers: WorkersTable;
  row_counts: RowCountsTable;
  sums: SumsTable;
  charge_ratios: ChargeRatiosTable;
  limiters: LimitersTable;
  webhooks: WebhooksTable;
  reasons: ReasonsTable;
  decisions: DecisionsTable;
  notices: NoticesTable;
  schedules: SchedulesTable;
  occurrences: OccurrencesTable;
  allowed_firings: AllowedFiringsTable;
  awaited_voices: AwaitedVoicesTable;
  text_limits: TextLimitsTable;
}

export type Db = Kysely<Schema>;
/** Argument of functions that are part of a transaction. */
export type Tx = Transaction<Schema>;
export type RowLine = Selectable<RowsTable>;
export type NewRowLine = Insertable<RowsTable>;
export type ChargeLine = Selectable<ChargesTable>;
