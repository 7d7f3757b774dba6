import type { Generated, Insertable, Kysely, Selectable, Transaction } from 'kysely';
import type { ExitName } from '../contract/exit-codes.ts';
import type { FailureClass } from '../contract/failures.ts';
import type { HookEvent, HookTarget } from '../contract/hooks.ts';
import type { AttemptState, Control, Outcome, RowState, TakeReason } from '../contract/outcomes.ts';
import type { Kind, Operation, Step } from '../contract/row-kinds.ts';
import type { SkipCause } from '../contract/schedule.ts';
import type { AllowedFirings } from '../policy/legal-firing.ts';
import type { OccurrenceRecord } from './occurrence-records.ts';
import type { BatchRecord, ChargeRecord, DecisionRecord } from './record-types.ts';

/** JSON as text, not as a JSON type, so that both databases keep it unchanged. */
type Json = string;

/** One row per fact about the ledger itself, e.g. its `id`. */
export interface FactsTable {
  name: string;
  value: string;
}

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

/** One line per decision of a person about a request whose outcome nobody knew. */
export interface DecisionsTable {
  batch: string;
  row: number;
  number: number;
  step: Step;
  take: number;
  attempt: number;
  what: DecisionRecord['what'];
  job_id: string | null;
  /** `ResultFile[]`: the row's result until then. */
  files: Json;
  who: string;
  made_at: number;
}

export interface RowsTable {
  batch: string;
  row: number;
  id: string;
  line: number;
  kind: Kind;
  /** `RowSpec` */
  spec: Json;
  /** `string[]` */
  input: Json;
  quoted: number | null;
  state: RowState;
  outcome: Outcome | null;
  /** `Failure` */
  failure: Json | null;
  /** `ResultFile` */
  file: Json | null;
  /** `ResultFile[]` */
  extra_files: Json | null;
  text: string | null;
  take: number;
  redo_from: Step | null;
  auto_takes: number;
  wait_since: number | null;
  /** Quotes of its later steps, held back from the budget since its first request; 0 without a budget. */
  promised: number;
  /** The lane that works on it; null: free for the next claim. */
  lane: number | null;
  /** The row that makes its voice; null: none does. */
  voice_row: number | null;
  /** The voice that it waits for, because that may be in training; null: none. */
  awaits: string | null;
  /** The row that it is a part of; null: it is a row of the manifest. */
  part_of: number | null;
  /** How many parts it is spoken in; null: it is not split. */
  parts: number | null;
  /** The take whose results of earlier steps its current take uses, by a person's word; null: the last there are. */
  accepted_take: number | null;
  /** The take whose result a person went back to; null: it stands at its current take. */
  returned_to: number | null;
  /** `Fallback` */
  fallback: Json | null;
  /**
   * Fencing token: raised whenever the row is claimed or taken back. A holder with an older one may do nothing more.
   */
  hold: number;
  updated_at: number;
  ended_at: number | null;
}

export interface ChargesTable {
  batch: string;
  row: number;
  step: Step;
  take: number;
  attempt: number;
  /** The take that made what it uses of an earlier step; null: it uses nothing of one. */
  from_take: number | null;
  /** What it asks the API for; null: nothing was asked for, or the request was refused before this was kept. */
  operation: Operation | null;
  state: AttemptState;
  job_id: string | null;
  quoted: number | null;
  charged: number | null;
  charged_from: ChargeRecord['chargedFrom'];
  /** The price that an answer reported before the attempt got its verdict. */
  told: number | null;
  /** `Failure` */
  failure: Json | null;
  request_id: string | null;
  link_hash: string | null;
  /** 1: no voice had the name that the request gives; 0: one had it; null: not known, or no voice is made. */
  name_free: 0 | 1 | null;
  owner: string;
  intent_at: number;
  verdict_at: number | null;
  finished_at: number | null;
  /** `ResultFile` */
  file: Json | null;
  /** What its result is known by, 43 characters; null: nothing can equal it, or its batch uses no cache. */
  result_key: string | null;
  /** `ResultSource` */
  source: Json | null;
  /** `Judgement` */
  judgement: Json | null;
}

/** One line per stored result that later rows may use: of an attempt that made it, or that used it in turn. */
export interface ResultsTable {
  key: string;
  batch: string;
  row: number;
  step: Step;
  take: number;
  attempt: number;
  /** `ResultFile` */
  file: Json;
  /** `ResultFile[]` */
  extra_files: Json | null;
  text: string | null;
  job_id: string | null;
  /** What was charged for it when it was made. */
  credits: number | null;
  /** Length of all its files. */
  bytes: number;
  made_at: number;
  used_at: number;
}

/** One line per take of a row after its first. */
export interface TakesTable {
  batch: string;
  row: number;
  take: number;
  reason: TakeReason;
  from_step: Step;
  made_at: number;
  /** `TakeRecord['before']` */
  before: Json;
}

/** One line per lane with a holder. */
export interface LanesTable {
  batch: string;
  lane: number;
  /** Run of the batch workflow. */
  run: string;
  /** Raised whenever somebody acquires a lane of the batch. */
  token: number;
  /** The worker process that has it. */
  owner: string;
  taken_at: number;
}

/** One line per worker process. */
export interface WorkersTable {
  owner: string;
  api_url: string;
  account: string;
  seen_at: number;
  /** Why it ended, if it could not go on; null: it lives, or nobody knows. */
  ended_because: string | null;
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

/** One line per operation of a batch that was sent under a budget: what was charged beside what was quoted. A trigger maintains it. */
export interface ChargeRatiosTable {
  batch: string;
  operation: Operation;
  /** The step that it was first needed for. */
  step: Step;
  /** The largest charge of the API ÷ its quote; 0: none yet. */
  worst: Generated<number>;
  /** The largest charge of a request that was quoted at 0. */
  unquoted: Generated<number>;
  /** Requests that ended and whose charge the API has told. */
  told: Generated<number>;
  /** Requests that ended, told or not. */
  ended: Generated<number>;
  /** `worst` of the account's earlier batches at the same price; 0: they show nothing. */
  earlier: Generated<number>;
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

/** One line per schedule that is known here. */
export interface SchedulesTable {
  name: string;
  /** Every time up to this one at which it was due has its line in `occurrences`, ms. */
  surveyed_until: number;
  /** `--on-end` of its batches, and of its occurrences without one. */
  on_end: string | null;
  /** The same for `--notify`. */
  notify: string | null;
  /** `ScheduledRun`; null: its settings are not here. So with the next three. */
  run: Json | null;
  /** `ScheduleSpec` */
  spec: Json | null;
  api_url: string | null;
  account: string | null;
  /** When its times were last set, ms. */
  settled_at: number | null;
  /** Made by an earlier version: settings that Temporal has had since before this moment are taken over, ms. */
  legacy_until: number | null;
}

/** One line per stretch of time in which firings of a schedule are allowed. */
export interface AllowedFiringsTable {
  id: Generated<number>;
  schedule: string;
  kind: AllowedFirings['kind'];
  from_at: number;
  /** null: it goes on. */
  until_at: number | null;
  /** `ScheduleSpec`; null: any time. */
  spec: Json | null;
  /** Of a trigger: the time for which it fired. Of a backfill: when it was asked for. */
  at: number | null;
}

/** One line per time at which a schedule was due. */
export interface OccurrencesTable {
  schedule: string;
  at: number;
  state: OccurrenceRecord['state'];
  exit: ExitName | null;
  cause: SkipCause | null;
  reason: string | null;
  ended_at: number | null;
  /** As the server of its manifest sent it. */
  etag: string | null;
  /** 1: its manifest is that of the occurrence before; null: not known. */
  unchanged: number | null;
  /** Folder of its files, absolute; null: an earlier version began it, or it never began. */
  out: string | null;
}

/** One line per account whose webhook a process uses. */
export interface WebhooksTable {
  api_url: string;
  account: string;
  /** The worker process that uses it. */
  owner: string;
  /** The address that it sets; null: none yet. It holds a secret. */
  address: string | null;
  /** `WebhookBefore`, and the earlier addresses of ours */
  before: Json | null;
  taken_at: number;
}

export interface LimitersTable {
  scope: string;
  state: Json;
}

/** One line per operation of an account whose longest text was learnt from a refusal. */
export interface TextLimitsTable {
  api_url: string;
  account: string;
  operation: Operation;
  /** Characters. */
  most: number;
  learnt_at: number;
}

/** A voice that rows wait for, because it may be in training. */
export interface AwaitedVoicesTable {
  batch: string;
  voice: string;
  name: string | null;
  since: number;
  /** When to look at it next, wall clock, ms. */
  due_at: number;
  /** `VoiceWatch` */
  watched_ms: Generated<number>;
  silent_ms: Generated<number>;
  /** 1: the list was read for it. */
  was_read: Generated<0 | 1>;
  /** When it was last looked at, wall clock, ms; null: never, since `since`. */
  looked_at: number | null;
  /** `Failure`: how the API last refused a row because of it; null: it did not since rows wait for it. */
  refusal: Json | null;
}

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
