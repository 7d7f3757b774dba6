import type { ActionKind, ActorType } from '../../contract/actions.ts';
import { integer, json, numbered, orNull, table, text, time, type LineOf } from './columns.ts';

/** The table of what was done to batches and schedules, and by whom. */

/**
 * One line per action, and per transaction of an action that takes several. Written in the transaction of what it
 * records.
 */
export const actions = table(['number'], {
  number: numbered(),
  /** All lines of one command have the same id; empty: of no command. */
  command: text(),
  at: time(),
  kind: text<ActionKind>(),
  /** Null for actions on schedules. */
  batch: orNull(text()),
  /** Null for actions on batches. */
  schedule: orNull(text()),
  actor_type: text<ActorType>(),
  actor: text(),
  reason: orNull(text()),
  /** `ActionDetails` */
  details: json(),
  /** `RowRanges` that it is about; null: about no row in particular. */
  rows: orNull(json()),
  /** The first and the last of these. */
  first_row: orNull(integer()),
  last_row: orNull(integer()),
});
export type ActionsTable = LineOf<typeof actions>;
