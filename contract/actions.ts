/** What people, schedules and voxbatch itself have done to batches and schedules, as it goes on record. */

/** The kinds of actions on a batch, each with its words. */
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

/** The same for schedules. */
const SCHEDULE_ACTIONS = {
  'set-schedule': 'set when it fires and what it runs',
  'pause-schedule': 'paused it',
  'resume-schedule': 'resumed it',
  trigger: 'triggered it',
  backfill: 'had it make up for a range of time',
  withdraw: 'took a trigger or a backfill back that did not fire',
  'delete-schedule': 'deleted it',
} as const;

export const ACTION_WORDS = { ...BATCH_ACTIONS, ...SCHEDULE_ACTIONS };
export type ActionKind = keyof typeof ACTION_WORDS;
export const ACTION_KINDS = Object.keys(ACTION_WORDS) as readonly ActionKind[];

/**
 * What kind of actor acted: a person or program that asked for it, a schedule that fired, or voxbatch by its own rules.
 */
export type ActorType = 'person' | 'schedule' | 'voxbatch';

/** Who acts, and why. */
export interface By {
  readonly actor: {
    readonly type: ActorType;
    /** `user@host`, or the operator that was named; the name of the schedule; `voxbatch`. */
    readonly name: string;
  };
  /** All that one command does has one id. */
  readonly command: string;
  /** In the actor's words; null if none were given. */
  readonly reason: string | null;
  /** The bill that was accepted with it, in credits. Omitted if nothing is paid by it, or no price is known. */
  readonly credits?: number | undefined;
}

/** What voxbatch does by its own rules, such as a pause when the credits are used up. `reason`: which rule, and why. */
export function byItself(reason: string | null): By {
  return { actor: { type: 'voxbatch', name: 'voxbatch' }, command: '', reason };
}

/** What a schedule does when it fires. */
export function bySchedule(name: string, reason: string | null = null): By {
  return { actor: { type: 'schedule', name }, command: '', reason };
}

/** Numbers of rows as ranges, first and last, in order: a redrive of a million rows is a few of them. */
export type RowRanges = readonly (readonly [first: number, last: number])[];

/** What was done, beyond its kind. */
export interface ActionDetails {
  /** The bill that was accepted with it, in credits. */
  readonly credits?: number | undefined;
  /** A new batch's budget; null if it has none. */
  readonly budget?: number | null;
  /** Settings that it changed, as the command line writes them; of a URL only the host. */
  readonly changed?: Readonly<Record<string, { readonly from: string; readonly to: string }>> | undefined;
  /** `stop --now`, or a halt that is meant as soon. */
  readonly isNow?: true;
  /** Job that a row was given, or gave back, or that the API named beside its own. */
  readonly jobId?: string | null;
  /** Parts that were removed. */
  readonly removed?: readonly string[];
  /** Results that were removed from the cache. */
  readonly results?: number;
  /** The range of a backfill. */
  readonly range?: { readonly from: number; readonly until: number };
}

/** A recorded action. */
export interface ActionRecord {
  /** Its place in the ledger's order. */
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
  /** Null: about no row in particular. */
  readonly rows: RowRanges | null;
}
