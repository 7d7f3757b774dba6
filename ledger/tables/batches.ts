import type { FailureClass } from '../../contract/failures.ts';
import type { HookEvent, HookTarget } from '../../contract/hooks.ts';
import type { Control, Outcome, RowState } from '../../contract/outcomes.ts';
import type { BatchRecord } from '../record-types.ts';
import { amount, integer, json, or, orNull, table, text, time, type LineOf } from './columns.ts';

/** The tables of batches: what they are, and what is kept of all their rows. */

/** One line per batch. */
export const batches = table(['name'], {
  name: text(),
  digest: text(),
  api_url: text(),
  account: text(),
  /** `BatchSettings` */
  settings: json(),
  /** The one of its settings, in credits; null: none. */
  budget: orNull(amount()),
  /** `string[]` */
  columns: json(),
  source: text(),
  /** Which batch it was, in the order in which they were made here. */
  number: integer(),
  /** Folder of its files in the store. */
  stem: text(),
  /** Rows whose files share a folder; null: all. */
  rows_a_folder: orNull(integer()),
  state: text<BatchRecord['state']>(),
  control: text<Control>(),
  /** `Failure` */
  pause_reason: orNull(json()),
  halted: orNull(text()),
  /** 1: running jobs are not waited for any more. */
  stop_now: or(0, integer()),
  /** `Subset`: the rows that were last asked for; null: all. */
  subset: orNull(json()),
  /** When ended rows were last opened again; a halt counts from there. */
  reopened_at: orNull(time()),
  /** `AlikeWatch`: what is known about the first rows; null: nothing yet. */
  watch: orNull(json()),
  rows: integer(),
  created_at: time(),
  started_at: orNull(time()),
  closed_at: orNull(time()),
  /** When its media, and when what its rows asked for, were last removed; null: never. */
  media_cleaned_at: orNull(time()),
  rows_cleaned_at: orNull(time()),
  /** `CleanParts`: what is being removed; null: nothing. */
  cleaning: orNull(json()),
});
export type BatchesTable = LineOf<typeof batches>;

/** How many rows of a batch are in a state, or ended so, for one reason. Parts of rows do not count. Triggers keep it. */
export const rowCounts = table(['batch', 'standing', 'class', 'cause'], {
  batch: text(),
  /** An outcome, or the state of open rows. */
  standing: text<Outcome | RowState>(),
  /** Of their failures; both are empty for rows without one, the cause also if a failure names none. */
  class: text<FailureClass | ''>(),
  cause: text(),
  n: integer(),
  /** Those of them that ended since the batch was last opened again. */
  recent: integer(),
});
export type RowCountsTable = LineOf<typeof rowCounts>;

/** One line per batch: sums over its charges and rows. Triggers keep it. */
export const sums = table(['batch'], {
  batch: text(),
  /** What its attempts were charged. */
  charged: or(0, amount()),
  /** Attempts in flight, and their quotes. */
  sending: or(0, amount()),
  sending_quoted: or(0, amount()),
  /** Attempts whose outcome is unknown, and their quotes. */
  unknown: or(0, amount()),
  unknown_quoted: or(0, amount()),
  /** Accepted attempts whose jobs have not ended. */
  running: or(0, amount()),
  /** Attempts that were charged by their quotes. */
  by_quote: or(0, amount()),
  /** What its attempts would have cost that used an earlier result. */
  saved: or(0, amount()),
  /** Requests that were made because an earlier result was damaged. */
  damaged: or(0, amount()),
  /** By how much the API announced running jobs as cheaper than quoted. */
  unbilled: or(0, amount()),
  /** What open rows hold back from the budget. */
  promised: or(0, amount()),
});
export type SumsTable = LineOf<typeof sums>;

/** One line per message of `--on-end` or `--notify`. */
export const notices = table(['id'], {
  id: text(),
  batch: text(),
  event: text<HookEvent>(),
  target: text<HookTarget>(),
  made_at: time(),
  /** Not delivered before this time. */
  due_at: time(),
  tries: or(0, integer()),
  trouble: orNull(text()),
  ended_at: orNull(time()),
  /** Process that is telling it; null: nobody, or nobody knows which. */
  claimer: orNull(text()),
});
export type NoticesTable = LineOf<typeof notices>;
