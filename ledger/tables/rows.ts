import type { Dialect } from '../../contract/dialects.ts';
import type { FailureClass } from '../../contract/failures.ts';
import type { Outcome, RowState, TakeReason } from '../../contract/outcomes.ts';
import type { Kind, Step } from '../../contract/row-kinds.ts';
import type { DecisionRecord } from '../record-types.ts';
import { amount, integer, json, or, orNull, table, text, time, type LineOf } from './columns.ts';

/** The tables of rows: as they are, as they were, and what they wait for. */

/** One line per row of a manifest, and per part of such a row. */
export const rows = table(['batch', 'row'], {
  batch: text(),
  row: integer(),
  id: text(),
  line: integer(),
  /** The `number` of its batch: of rows with one id, the one with the largest was loaded last. */
  loaded: integer(),
  kind: text<Kind>(),
  /** What it asks for: the members of `RowSpec` that queries ask for, and `spec`, which has all others. */
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
  /** `Failure`, and its class and cause once more, for counts. */
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
  /** Quotes of its later steps, held back from the budget since its first request; 0 without a budget. */
  promised: or(0, amount()),
  /** The lane that works on it; null: free for the next claim. */
  lane: orNull(integer()),
  /** The row that makes its voice; null: none does. */
  voice_row: orNull(integer()),
  /** The voice that it waits for, because that may be in training; null: none. */
  awaits: orNull(text()),
  /** The row that it is a part of; null: it is a row of the manifest. */
  part_of: orNull(integer()),
  /** How many parts it is spoken in; null: it is not split. */
  parts: orNull(integer()),
  /** The take whose results of earlier steps its current take uses, by a person's word; null: the last there are. */
  accepted_take: orNull(integer()),
  /** The take whose result a person went back to; null: it stands at its current take. */
  returned_to: orNull(integer()),
  /** `Fallback` */
  fallback: orNull(json()),
  /** Fencing token: raised whenever the row is claimed or taken back. A holder with an older one may do nothing more. */
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

/** One line per decision of a person about a request whose outcome nobody knew. */
export const decisions = table(['batch', 'row', 'number'], {
  batch: text(),
  row: integer(),
  number: integer(),
  step: text<Step>(),
  take: integer(),
  attempt: integer(),
  what: text<DecisionRecord['what']>(),
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
  /** When to look at it next. */
  due_at: time(),
  /** `VoiceWatch` */
  watched_ms: or(0, integer()),
  silent_ms: or(0, integer()),
  /** 1: the list was read for it. */
  was_read: or(0, integer<0 | 1>()),
  /** When it was last looked at; null: never, since `since`. */
  looked_at: orNull(time()),
  /** `Failure`: how the API last refused a row because of it; null: it did not since rows wait for it. */
  refusal: orNull(json()),
});
export type AwaitedVoicesTable = LineOf<typeof awaitedVoices>;
