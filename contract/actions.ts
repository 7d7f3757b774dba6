/*
 * The audit trail: what people, schedules and voxbatch itself did to batches and schedules. The ledger records each
 * action with the change that it makes; `voxbatch history` shows them.
 */

/** The kinds of actions on a batch, with the words that follow the actor's name: `ada@host paused it`. */
const BATCH_ACTIONS = {
  start: 'started it',
  extend: 'had rows run that were left out',
  pause: 'paused it',
  resume: 'resumed it',
  stop: 'stopped it',
  tune: 'changed its settings',
  redrive: 'had rows run again',
  resubmit: 'had rows run again that may have been charged',
  accept: 'accepted results as they are',
  adopt: 'gave a row a job of the API',
  'not-charged': 'settled a take as not charged',
  release: 'took a decision about a row back',
  'note-job': 'noted a second job that the API named for a row',
  clean: 'removed what it no longer needs',
  prune: 'removed results from the cache',
  'accept-copy': 'accepted a copy of the ledger, which paused it',
  'compare-store': 'compared the accepted copy with the store, and put on record what was sent after it was made',
  'compare-copy': 'said that the accepted copy was compared with the account',
} as const;

/** The kinds of actions on a schedule, with their words. */
const SCHEDULE_ACTIONS = {
  'set-schedule': 'set when it fires and what it runs',
  'pause-schedule': 'paused it',
  'resume-schedule': 'resumed it',
  trigger: 'triggered it',
  backfill: 'had it make up for a range of time',
  withdraw: 'took a trigger or a backfill back that did not fire',
  'delete-schedule': 'deleted it',
} as const;

/** All kinds of actions, with the words that follow the actor's name. */
export const ACTION_WORDS = { ...BATCH_ACTIONS, ...SCHEDULE_ACTIONS };
/** What was done to a batch or schedule, as the history records it. */
export type ActionKind = keyof typeof ACTION_WORDS;
/** All of them, for filters of the history. */
export const ACTION_KINDS = Object.keys(ACTION_WORDS) as readonly ActionKind[];

/**
 * What kind of actor acted: a person or program that asked for it, a schedule that fired, or voxbatch by its own rules.
 */
export type ActorType = 'person' | 'schedule' | 'voxbatch';

/** Who performs an action, and why ("by whom"). Every function that changes a batch or a schedule takes it. */
export interface By {
  readonly actor: {
    readonly type: ActorType;
    /** `user@host`, or the operator that was named; the name of the schedule; `voxbatch`. */
    readonly name: string;
  };
  /** Id of the command, shared by all its actions; empty for an action that no command made. */
  readonly command: string;
  /** In the actor's words; null if none were given. */
  readonly reason: string | null;
  /** The quoted bill that the actor accepted, in credits. Omitted if the action costs nothing, or no price is known. */
  readonly credits?: number | undefined;
}

/**
 * Returns the actor of what voxbatch does by its own rules, such as a pause when the credits are used up. `reason`:
 * which rule applied, and why.
 */
export function byItself(reason: string | null): By {
  return { actor: { type: 'voxbatch', name: 'voxbatch' }, command: '', reason };
}

/** Returns the actor of what a schedule does when it fires. */
export function bySchedule(name: string, reason: string | null = null): By {
  return { actor: { type: 'schedule', name }, command: '', reason };
}

/**
 * Row numbers as ranges, both ends inclusive, in ascending order. Ranges keep the record of a redrive of a million rows
 * small.
 */
export type RowRanges = readonly (readonly [first: number, last: number])[];

/** Details of an action beyond its kind. */
export interface ActionDetails {
  /** As in {@link By}. */
  readonly credits?: number | undefined;
  /** With `start`: the new batch's budget in credits; null if it has none. */
  readonly budget?: number | null;
  /** Changed settings by name, with values as the command line writes them. Of a URL, only the host is recorded. */
  readonly changed?: Readonly<Record<string, { readonly from: string; readonly to: string }>> | undefined;
  /** With `stop`: set by `stop --now` and `--halt now,…`, which do not wait for running jobs. */
  readonly isNow?: true;
  /** The job that was assigned to a row (`adopt`), taken from it (`release`), or named beside its own (`note-job`). */
  readonly jobId?: string | null;
  /** With `clean`: the parts of the batch that were removed; see `CleanParts`. */
  readonly removed?: readonly string[];
  /** With `prune`: number of results that were removed from the cache. */
  readonly results?: number;
  /** With `backfill`: its time range, ms since 1970. */
  readonly range?: { readonly from: number; readonly until: number };
}

/** An action as recorded in the ledger. */
export interface ActionRecord {
  /** Sequence number in the ledger. */
  readonly number: number;
  readonly command: string;
  /** ms since 1970. */
  readonly at: number;
  readonly kind: ActionKind;
  readonly batch: string | null;
  readonly schedule: string | null;
  readonly actor: By['actor'];
  readonly reason: string | null;
  readonly details: ActionDetails;
  /** The rows that the action affected; null if it concerns the whole batch or a schedule. */
  readonly rows: RowRanges | null;
}
