import type { Generated } from 'kysely';
import type { Outcome, RowState, TakeReason } from '../../contract/outcomes.ts';
import type { Kind, Step } from '../../contract/row-kinds.ts';
import type { DecisionRecord } from '../record-types.ts';
import type { Json } from './json.ts';

/** The tables of rows: as they are, as they were, and what they wait for. */

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
