import type { RedriveRefusal } from '../../batches/redrive/draft.ts';
import type { EditedRows } from '../../batches/redrive/edited-rows.ts';
import type { RedriveForecast } from '../../batches/redrive/redrive-tally.ts';
import type { RedriveSelection, NoSuchRow } from '../../batches/redrive/selection.ts';
import type { SpendFacts } from '../../contract/spend.ts';
import type { Tuning } from '../../contract/tunables.ts';
import type { ManifestSource } from '../../inputs/manifest-source.ts';
import type { BillSummary } from '../../inputs/money/bill.ts';
import type { SpendDecision } from '../../policy/money/spend.ts';
import type { Confirm, Person, SpendQuestion, NotApproved } from '../person.ts';
import type { WebhookSettings } from '../webhooks/webhook-options.ts';

/**
 * Which ended rows to run again, and how: those in a file, or those that meet all other conditions. At least one is
 * required.
 */
export interface RedriveOptions extends RedriveSelection {
  /**
   * Path of an edited copy of the manifest, or of an outcome file. Edited rows run again; those that may have been
   * charged are left out without `resubmit`, unless there are no others.
   */
  readonly from?: string;
  /** The sheet of that file, if it is an Excel workbook. Default: the first that is not hidden. */
  readonly sheet?: string;
  /** Changes to the batch's limits, budget and policies, made along with the redrive. */
  readonly tuning?: Tuning;
  /** Folder of the batch's files. Default `out/NAME`. */
  readonly out?: string;
  /** Why, for the record. */
  readonly reason?: string;
  /**
   * Called before paying a bill above the configuration's `confirmAbove`, before replacing a result, and before paying
   * for a row that may already have been charged. Default: such a bill is refused; the other two need no consent beyond
   * the options.
   */
  readonly confirm?: Confirm<RedriveFacts>;
}

/** A redrive's payment terms and out folder. */
export interface RedriveTerms extends Pick<RedriveOptions, 'tuning'> {
  /** Folder of the batch's files; null: it has none. Default `out/NAME`. */
  readonly out?: string | null;
  /** Bills above this many credits need confirmation; null means none do. Default: the configuration's. */
  readonly confirmAbove?: number | null | undefined;
  /** Webhooks to receive in this process. Nothing is changed if it cannot listen for them. */
  readonly webhook?: WebhookSettings | undefined;
  /** The user named this very result or row, so replacing or double charging needs no more consent. Default: no. */
  readonly isExplicit?: boolean;
  /** Why, for the record. */
  readonly reason?: string | undefined;
}

/** A requested redrive. */
export interface RedriveRequest extends RedriveSelection, RedriveTerms {
  /** The file or its path. A file passed in open stays open. */
  readonly from?: string | ManifestSource | undefined;
  /** See {@link RedriveOptions}. */
  readonly sheet?: string | undefined;
  /**
   * Require `resubmit` for `overdue` rows, because it is unclear whether to pay for them or to wait. Default: false.
   */
  readonly asksForOverdue?: boolean;
  /**
   * Create an empty store to replace a missing one, because a person has confirmed that its files are lost. Default:
   * false.
   */
  readonly newStore?: boolean;
}

/** Events while a redrive is planned. */
export type RedriveEvent =
  /** The file was read, possibly with warnings. */
  | { readonly type: 'file-read'; readonly warnings: EditedRows['checked']['warnings'] }
  /** A lost text was recovered from the records and is stored again, for free. */
  | { readonly type: 'rewritten'; readonly key: string }
  /** The plan is complete; only its price is yet to be approved. */
  | { readonly type: 'planned'; readonly forecast: RedriveForecast }
  /** Its rows are about to be opened: from now on, the same redrive could open them once more. */
  | { readonly type: 'opening'; readonly batch: string };

/** Called with each event. */
export type OnRedriveEvent = (event: RedriveEvent) => void;

/** Whoever approves a redrive's price. */
export type RedrivePerson = Person<SpendQuestion<RedriveFacts>>;

/**
 * Why a redrive is not possible: unknown rows or takes, a file that does not fit the batch, edits to rows that have not
 * ended, or rows that need an explicit option.
 */
export type NotRedrivable =
  | NoSuchRow
  | Exclude<EditedRows, { readonly type: 'found' }>
  /** `forecast.openEdited` rows would continue, and be charged, unedited: stop the batch first. */
  | { readonly type: 'open-edits'; readonly forecast: RedriveForecast }
  /** `forecast.refused` lists the rows with reasons; `resubmit` may be missing. */
  | { readonly type: 'refused-rows'; readonly forecast: RedriveForecast };

/** A redrive's effect and price. Nothing was changed. */
export type RedriveCheck = { readonly type: 'ready'; readonly forecast: RedriveForecast } | NotRedrivable;

/**
 * A redrive's effect and price, plus the questions and remarks that would precede it. `refusal`: why it would be
 * refused.
 */
export type RedrivePreview =
  | NotRedrivable
  | {
      readonly type: 'ready';
      readonly forecast: RedriveForecast;
      readonly facts: RedriveFacts;
      readonly notes: SpendDecision['notes'];
      readonly asks: SpendQuestion['about'];
      readonly refusal?: Extract<SpendDecision, { readonly type: 'refuse' }>['why'];
    };

/**
 * Result of a priced redrive. `finished`: no work is left. `open`: the batch needs a worker. In the other cases nothing
 * was changed, except by `not-opened`.
 */
export type PaidEnd =
  | ({ readonly type: 'finished' } & OpenedForecast)
  | ({ readonly type: 'open' } & OpenedForecast)
  /** Results would be replaced, which needs a person's consent, and nobody can be asked. */
  | { readonly type: 'unasked'; readonly forecast: RedriveForecast }
  /** The draft must not be carried out. */
  | { readonly type: RedriveRefusal; readonly forecast: RedriveForecast }
  /** The ledger refused, in its own words; `opened` rows had been opened before that. */
  | { readonly type: 'not-opened'; readonly opened: number; readonly why: string }
  | NotApproved<RedriveFacts>;

interface OpenedForecast {
  /** Number of rows opened. */
  readonly opened: number;
  /** Number of selected rows that had changed in the meantime, and were left as they were. */
  readonly movedOn: number;
  readonly forecast: RedriveForecast;
}

/** Result of a redrive. */
export type RedriveEnd = PaidEnd | NotRedrivable;

/** A redrive's price and its other risks. */
export interface RedriveFacts extends SpendFacts {
  readonly bill: BillSummary;
  /**
   * Existing results that will be replaced, including those whose stored file is lost and cannot be recovered for free.
   */
  readonly replaced: number;
  /** Of these, results whose stored file is lost. */
  readonly lost: number;
  /** Rows that may be charged a second time for one result. */
  readonly resubmitted: number;
  /** `budget` is the rest of the batch's budget. */
  readonly isBudgetLeft: true;
  /** The batch budget that would cover all of it. */
  readonly budgetNeeded: number;
}
