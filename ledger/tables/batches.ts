import type { FailureClass } from '../../contract/failures.ts';
import type { HookEvent, HookTarget } from '../../contract/hooks.ts';
import type { Control, Outcome, RowState } from '../../contract/outcomes.ts';
import type { BatchRecord } from '../record-types.ts';
import type { Json } from './json.ts';

/** The tables of batches: what they are, and what is kept of all their rows. */

export interface BatchesTable {
  name: string;
  digest: string;
  api_url: string;
  account: string;
  /** `BatchSettings` */
  settings: Json;
  /** `string[]` */
  columns: Json;
  source: string;
  /** Folder of its files in the store. */
  stem: string;
  /** Rows whose files share a folder; null: all. */
  rows_a_folder: number | null;
  state: BatchRecord['state'];
  control: Control;
  /** `Failure` */
  pause_reason: Json | null;
  halted: string | null;
  /** 1: running jobs are not waited for any more. */
  stop_now: number;
  /** `Subset`: the rows that were last asked for; null: all. */
  subset: Json | null;
  /** When ended rows were last opened again, ms; a halt counts from there. */
  reopened_at: number | null;
  /** `AlikeWatch`: what is known about the first rows; null: nothing yet. */
  watch: Json | null;
  rows: number;
  created_at: number;
  started_at: number | null;
  closed_at: number | null;
  /** When its media, and when what its rows asked for, were last removed, ms; null: never. */
  media_cleaned_at: number | null;
  rows_cleaned_at: number | null;
  /** `CleanParts`: what is being removed; null: nothing. */
  cleaning: Json | null;
}

/** Number of rows of a batch in each state. Triggers maintain it. */
export interface RowCountsTable {
  batch: string;
  /** An outcome, or the state of open rows. */
  standing: Outcome | RowState;
  n: number;
  /** Those of them that ended since the batch was last opened again. */
  recent: number;
}

/** One line per batch: sums over its charges and rows. Triggers maintain it. */
export interface SumsTable {
  batch: string;
  /** What its attempts were charged. */
  charged: number;
  /** Attempts in flight, and their quotes. */
  sending: number;
  sending_quoted: number;
  /** Attempts whose outcome is unknown, and their quotes. */
  unknown: number;
  unknown_quoted: number;
  /** Accepted attempts whose jobs have not ended. */
  running: number;
  /** Attempts that were charged by their quotes. */
  by_quote: number;
  /** What its attempts would have cost that used an earlier result. */
  saved: number;
  /** Requests that were made because an earlier result was damaged. */
  damaged: number;
  /** What open rows hold back from the budget. */
  promised: number;
  /** By how much the API announced running jobs as cheaper than quoted. */
  unbilled: number;
}

/** Rows that have failed, or fail now, for one reason. A trigger on the rows maintains it. */
export interface ReasonsTable {
  batch: string;
  class: FailureClass;
  /** `Failure.cause`; empty if a failure names none. */
  cause: string;
  /** Rows that have not ended. */
  open: number;
  ended: number;
}

/** One line per message of `--on-end` or `--notify`; triggers on the batches add them. */
export interface NoticesTable {
  id: string;
  batch: string;
  event: HookEvent;
  target: HookTarget;
  made_at: number;
  /** Not delivered before this time. */
  due_at: number;
  tries: number;
  trouble: string | null;
  ended_at: number | null;
  /** Process that is telling it; null: nobody, or nobody knows which. */
  claimer: string | null;
}
