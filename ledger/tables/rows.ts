import type { Dialect } from '../../contract/dialects.ts';
import type { FailureClass } from '../../contract/failures.ts';
import type { Outcome, RowState, TakeReason } from '../../contract/outcomes.ts';
import type { Kind, Step } from '../../contract/row-kinds.ts';
import { amount, integer, json, or, orNull, table, text, time, type LineOf } from './columns.ts';

/**
 * A person's decision about a request. `adopted`: the named job is the request's. `released`: that was wrong, and its
 * outcome is unknown again. `not-charged`: the account shows that it was never accepted. `went-back`: its result is the
 * row's again, instead of that of a later take.
 */
export type DecisionKind = 'adopted' | 'released' | 'not-charged' | 'went-back';

/*
 * The tables of rows: their present state, their earlier takes, and the voices that they wait for. Times are ms since
 * 1970, amounts credits. `RowRecord` explains columns that have no comment.
 */

/** One line per row of a manifest, and per part of such a row. */
export const rows = table(['batch', 'row'], {
  batch: text(),
  row: integer(),
  id: text(),
  line: integer(),
  /** The `number` of its batch: of rows with one id, the one with the largest was loaded last. */
  loaded: integer(),
  kind: text<Kind>(),
  /** Its request: these columns, which queries use, and `spec` with all other members of `RowSpec`. */
  dialect: orNull(text<Dialect>()),
  voice: orNull(text()),
  name: orNull(text()),
  verify: orNull(amount()),
  spec: json(),
  /** `string[]` */
  input: json(),
  quoted: orNull(amount()),
  state: text<RowState>(),
  outcome: orNull(text<Outcome>()),
  /** `Failure`; its class and cause are repeated for counts. */
  failure: orNull(json()),
  failure_class: orNull(text<FailureClass>()),
  failure_cause: orNull(text()),
  /** `ResultFile` */
  file: orNull(json()),
  /** `ResultFile[]` */
  extra_files: orNull(json()),
  text: orNull(text()),
  take: integer(),
  redo_from: orNull(text<Step>()),
  auto_takes: or(0, integer()),
  wait_since: orNull(time()),
  /** Quotes of its later steps, reserved since its first request; 0 without a budget. */
  promised: or(0, amount()),
  /** The lane that holds it; null if free for the next claim. */
  lane: orNull(integer()),
  /** The row that makes its voice; null if none does. */
  voice_row: orNull(integer()),
  /** The voice it waits for, which may be in training; null if none. */
  awaits: orNull(text()),
  /** The row it is a part of; null for rows of the manifest. */
  part_of: orNull(integer()),
  /** Number of parts it is spoken in; null if not split. */
  parts: orNull(integer()),
  /** The take whose earlier-step results its current take uses, by a person's decision; null for the latest ones. */
  accepted_take: orNull(integer()),
  /** The take whose result a person went back to; null if at its current take. */
  returned_to: orNull(integer()),
  /** `Fallback` */
  fallback: orNull(json()),
  /**
   * Fencing token: raised whenever the row is claimed or taken back. A holder with an older one may do nothing more.
   */
  hold: or(0, integer()),
  updated_at: time(),
  ended_at: orNull(time()),
});
export type RowsTable = LineOf<typeof rows>;

/** One line per take of a row after its first. */
export const takes = table(['batch', 'row', 'take'], {
  batch: text(),
  row: integer(),
  take: integer(),
  reason: text<TakeReason>(),
  from_step: text<Step>(),
  made_at: time(),
  /** `TakeRecord['before']` */
  before: json(),
});
export type TakesTable = LineOf<typeof takes>;

/** One line per decision of a person about a request. */
export const decisions = table(['batch', 'row', 'number'], {
  batch: text(),
  row: integer(),
  number: integer(),
  step: text<Step>(),
  take: integer(),
  attempt: integer(),
  what: text<DecisionKind>(),
  job_id: orNull(text()),
  /** `ResultFile[]`: the row's result until then. */
  files: json(),
  who: text(),
  made_at: time(),
});
export type DecisionsTable = LineOf<typeof decisions>;

/** One line per voice that rows of a batch wait for, because it may be in training. */
export const awaitedVoices = table(['batch', 'voice'], {
  batch: text(),
  voice: text(),
  name: orNull(text()),
  since: time(),
  /** When to poll for it next. */
  due_at: time(),
  /** `VoiceWatch` */
  watched_ms: or(0, integer()),
  silent_ms: or(0, integer()),
  /** 1: the API's list of voices was read for it. */
  was_read: or(0, integer<0 | 1>()),
  /** When it was last polled; null if never. */
  looked_at: orNull(time()),
  /** `Failure`: the API's last refusal because of this voice since rows wait for it; null if none. */
  refusal: orNull(json()),
});
export type AwaitedVoicesTable = LineOf<typeof awaitedVoices>;
