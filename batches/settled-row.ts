import type { Kind, Step } from '../contract/row-kinds.ts';
import type { NamedRow } from './leftovers.ts';

/** Why a row was left as it is. Words of the API or the ledger are in `words`. */
export type SettleRefusal =
  /** Neither the row nor the named take has a request whose outcome is unknown. */
  | { readonly type: 'not-in-doubt' | 'take-not-in-doubt' }
  /** Its request has no answer yet. */
  | { readonly type: 'in-flight' }
  /** Such a request makes no job, so the row can be given none. */
  | { readonly type: 'makes-no-job'; readonly step: Step; readonly kind: Kind }
  | { readonly type: 'no-such-job'; readonly step: Step; readonly words: string }
  | { readonly type: 'job-unreadable'; readonly words: string }
  /** Another row has the job; or another take of the row. */
  | { readonly type: 'job-taken'; readonly by: NamedRow & { readonly batch: string } }
  /** The answer to its request arrived while this was asked. */
  | { readonly type: 'answer-came' }
  /** Only an earlier take can be called not charged. */
  | { readonly type: 'current-take' }
  /** Nobody gave it a job, so there is none to take back. */
  | { readonly type: 'not-adopted' }
  | { readonly type: 'job-used'; readonly words: string };

/** The job that a person named cost another sum than its row was to cost, in credits, so it may be the job of another row. */
export interface OtherPrice {
  readonly quoted: number;
  readonly charged: number;
}

/** What became of a row that somebody wanted to be settled. `jobId`: the job that it has, or was to get. */
export type SettledRow = NamedRow & { readonly jobId: string | null } & (
    | { readonly type: 'found' | 'moved-on' | 'released' }
    | { readonly type: 'adopted'; readonly otherPrice?: OtherPrice }
    /** Of an earlier take, whose charge is certain now. */
    | { readonly type: 'charged'; readonly take: number; readonly otherPrice?: OtherPrice }
    | { readonly type: 'not-charged'; readonly take: number }
    /** `hasList`: the API lists such jobs. `makesJob`: such a request makes one. */
    | { readonly type: 'still-unknown'; readonly hasList: boolean; readonly makesJob: boolean }
    /** The API's list could not be read, so nothing is known. */
    | { readonly type: 'unreadable'; readonly why: string }
    | { readonly type: 'refused'; readonly why: SettleRefusal }
  );
