import type { ActionKind, ActorType } from '../../contract/actions.ts';
import { integer, json, numbered, orNull, table, text, time, type LineOf } from './columns.ts';

/**
 * What was done to batches and schedules, and by whom: one line per action, or per transaction of an action that takes
 * several. Written in the transaction that carries out the action.
 */
export const actions = table(['number'], {
  number: numbered(),
  /** Random id of the command, the same in all its lines; empty if voxbatch acted by itself. */
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
  /** `RowRanges`: the rows that it is about; null: no row in particular. */
  rows: orNull(json()),
  /** The first and the last of these rows. */
  first_row: orNull(integer()),
  last_row: orNull(integer()),
});
export type ActionsTable = LineOf<typeof actions>;
