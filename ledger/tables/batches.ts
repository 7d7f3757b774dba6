import type { FailureClass } from '../../contract/failures.ts';
import type { HookEvent, HookTarget } from '../../contract/hooks.ts';
import type { Control, Outcome, RowState } from '../../contract/outcomes.ts';
import { amount, integer, json, or, orNull, table, text, time, type LineOf } from './columns.ts';

/**
 * `loading`: rows are still being written; such a batch never ran. `open`: it has rows without outcome, or may get
 * some. `closed`: every row ended.
 */
export type BatchState = 'loading' | 'open' | 'closed';

/*
 * The tables of batches, with the counts and sums over their rows. Times are ms since 1970, amounts credits.
 * `BatchRecord` and `NoticeRecord` explain columns that have no comment.
 */

/** One line per batch. */
export const batches = table(['name'], {
  name: text(),
  digest: text(),
  api_url: text(),
  account: text(),
  /** `BatchSettings` */
  settings: json(),
  /** The budget from its settings, in credits; null if none. */
  budget: orNull(amount()),
  /** `string[]` */
  columns: json(),
  source: text(),
  /** Sequence number, in order of creation in this ledger. */
  number: integer(),
  /** Name of its folder in the store. While the batch is loading, it identifies the load, which has its own. */
  stem: text(),
  /** Rows whose files share a folder; null for all. */
  rows_a_folder: orNull(integer()),
  state: text<BatchState>(),
  control: text<Control>(),
  /** `Failure` */
  pause_reason: orNull(json()),
  halted: orNull(text()),
  /** 1: stopping without waiting for running jobs. */
  stop_now: or(0, integer()),
  /** `Subset` requested last; null for all rows. */
  subset: orNull(json()),
  /** When ended rows were last opened again; a halt counts from there. */
  reopened_at: orNull(time()),
  /** `AlikeWatch` on the first rows, for `--halt alike`; null until it starts. */
  watch: orNull(json()),
  rows: integer(),
  created_at: time(),
  started_at: orNull(time()),
  closed_at: orNull(time()),
  /** When its media, and its rows' requests, were last removed; null if never. */
  media_cleaned_at: orNull(time()),
  rows_cleaned_at: orNull(time()),
  /** `CleanParts` being removed; null if none. */
  cleaning: orNull(json()),
});
export type BatchesTable = LineOf<typeof batches>;

/** Number of a batch's rows per status and reason. Parts of rows do not count. Maintained by triggers. */
export const rowCounts = table(['batch', 'standing', 'class', 'cause'], {
  batch: text(),
  /** An outcome, or the state of open rows. */
  standing: text<Outcome | RowState>(),
  /** Failure class and cause; both are empty for rows without a failure, the cause also if the failure has none. */
  class: text<FailureClass | ''>(),
  cause: text(),
  n: integer(),
  /** Rows among these that ended since the batch was last reopened. */
  recent: integer(),
});
export type RowCountsTable = LineOf<typeof rowCounts>;

/** One line per batch: sums over its charges and rows. Maintained by triggers. */
export const sums = table(['batch'], {
  batch: text(),
  /** Charges of its attempts. */
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
  /** Credits saved by reusing earlier results. */
  saved: or(0, amount()),
  /** Requests that were made because an earlier result was damaged. */
  damaged: or(0, amount()),
  /** By how much the API announced running jobs as cheaper than quoted. */
  unbilled: or(0, amount()),
  /** Budget reserved by open rows. */
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
  /** Process that is delivering it; null if none or unknown. */
  claimer: orNull(text()),
});
export type NoticesTable = LineOf<typeof notices>;
