import type { NamedRow } from '../../contract/named-row.ts';
import type { Kind, Step } from '../../contract/row-kinds.ts';
import type { Made } from '../look/leftovers.ts';

/** Why a row was not changed. `words`: the API's or the ledger's own. */
export type SettleRefusal =
  /** A person gave the row another job, which has to be taken back first. */
  | { readonly type: 'adopted-before'; readonly jobId: string; readonly batch: string; readonly take?: number }
  /** Neither the row nor the named take has a request with an unknown outcome. */
  | { readonly type: 'not-in-doubt' | 'take-not-in-doubt' }
  /** Its request has no answer yet. */
  | { readonly type: 'in-flight' }
  /** Such a request creates no job, so the row cannot get one. */
  | { readonly type: 'makes-no-job'; readonly step: Step; readonly kind: Kind }
  | { readonly type: 'no-such-job'; readonly step: Step; readonly words: string }
  | { readonly type: 'job-unreadable'; readonly words: string }
  /** Another row has the job, or another take of this row. */
  | { readonly type: 'job-taken'; readonly by: NamedRow & { readonly batch: string } }
  /** The voice was made before the row's request, so another one made it. `madeAtMs`: by the API's clock. */
  | { readonly type: 'made-before'; readonly madeAtMs: number }
  /** The answer to its request arrived meanwhile. */
  | { readonly type: 'answer-came' }
  /** Only an earlier take can be marked as not charged. */
  | { readonly type: 'current-take' }
  /** No person decided anything about it that could be taken back. */
  | { readonly type: 'not-adopted' }
  | { readonly type: 'job-used'; readonly words: string };

/** The named job did not cost what its row was quoted (in credits), so it may belong to another row. */
export interface OtherPrice {
  readonly quoted: number;
  readonly charged: number;
}

/** What became of a row to settle. `jobId`: the job that it has or should have got. */
export type SettledRow = NamedRow & { readonly jobId: string | null } & (
    | { readonly type: 'found' | 'moved-on' | 'released' }
    /**
     * `isResult`: it is a voice, so the row has its result. `mayBeOlder`: a voice of its name was there before the
     * request, and nothing tells whether it is this one.
     */
    | {
        readonly type: 'adopted';
        readonly otherPrice?: OtherPrice;
        readonly isResult?: true;
        readonly mayBeOlder?: true;
      }
    /** For an earlier take whose charge is certain now. */
    | { readonly type: 'charged'; readonly take: number; readonly otherPrice?: OtherPrice }
    /** `doubted`: an earlier take that was settled as not charged is unknown again. */
    | { readonly type: 'not-charged' | 'doubted'; readonly take: number }
    /**
     * `hasList`: the API lists such jobs. `makes`: what such a request makes, which a person may name.
     * `lacksOnlyCheck`: its result is stored and paid for, and only the answer of its verification is lost. `answer`: what
     * its answer said, if that named a job of another row.
     */
    | {
        readonly type: 'still-unknown';
        readonly hasList: boolean;
        readonly makes: Made;
        readonly lacksOnlyCheck?: true;
        readonly answer?: string;
      }
    /** The API's list could not be read, so nothing is known. */
    | { readonly type: 'unreadable'; readonly why: string }
    | { readonly type: 'refused'; readonly why: SettleRefusal }
  );
