import type { ActionKind, ActorType } from './actions.ts';
import type { BatchFigures, EndFigures, ReasonFigures } from './batch-figures.ts';
import type { Outcome, RowState } from './outcomes.ts';

/**
 * Which report a batch gets. `none`: no file. `short`: without the rows that have their result. `full`: with all rows,
 * or with a sample of them if there are very many.
 */
export const REPORT_CHOICES = ['none', 'short', 'full'] as const;
export type ReportChoice = (typeof REPORT_CHOICES)[number];
export const DEFAULT_REPORT: ReportChoice = 'full';

/** Name of the report in the out folder. */
export const REPORT_FILE = 'report.html';
/** The same without texts, for sharing. */
export const SHARED_REPORT_FILE = 'report-no-text.html';

/** The elements of the report that hold its data. */
export const REPORT_ELEMENTS = { head: 'report-head', rows: 'report-rows' } as const;

/** How many values lie where. The bars are of equal width, the last one also has all larger values. */
export interface DistributionView {
  readonly values: number;
  readonly least: number;
  readonly most: number;
  readonly mean: number;
  readonly median: number;
  readonly p95: number;
  readonly bars: readonly { readonly from: number; readonly to: number; readonly values: number }[];
}

/** What the requests of a step were quoted and charged. Credits. */
export interface BillLine {
  readonly step: string;
  /** Accepted requests. */
  readonly requests: number;
  /** Of requests with a quote and a charge. */
  readonly quoted: number;
  readonly charged: number;
  /** Charged without a quote. */
  readonly unquoted: number;
  /** Accepted requests whose charge is our quote, because the API named none. */
  readonly estimated: number;
}

/** Rows without a result, or in trouble, for one reason. */
export interface ReportFailure extends ReasonFigures {
  /** The first rows with different messages. Without texts there are no messages. */
  readonly examples: readonly { readonly id: string; readonly message: string }[];
}

/** Something that was done to the batch. */
export interface ReportAction {
  readonly at: string;
  readonly kind: ActionKind;
  readonly by: ActorType;
  /** Null in a report without texts. */
  readonly who: string | null;
  readonly reason: string | null;
  readonly rows: number | null;
  readonly credits: number | null;
}

/** Everything in a report except its rows. Times are in ISO 8601. */
export interface ReportHead extends BatchFigures {
  readonly version: string;
  readonly source: string;
  /** Null in a report without texts, as is `account`. */
  readonly api: string | null;
  readonly account: string | null;
  /** Names of voices by their ids; empty without texts. */
  readonly voiceNames: Readonly<Record<string, string>>;
  /** When the present work on it began. */
  readonly since: string | null;
  /** Of a batch that has not ended: the newest thing that the report knows; null if nothing has happened yet. */
  readonly asOf: string | null;
  /** What to do next, a sentence each. */
  readonly notes: readonly string[];
  /** Which rows are listed. `every`: of a sample, each so many-th row with a result. */
  readonly listed: {
    readonly rows: number;
    readonly choice: ReportChoice;
    readonly every: number;
  };
  /** Texts are cut after so many characters; null: there are none. */
  readonly longestText: number | null;
  /** Path from the report to the out folder, empty or with `/` at its end; null: no file is linked. */
  readonly folder: string | null;
  readonly bill: readonly BillLine[];
  readonly jobTimes: readonly { readonly step: string; readonly seconds: DistributionView }[];
  readonly lengths: DistributionView | null;
  readonly prices: DistributionView | null;
  readonly ends: EndFigures | null;
  /** Most rows first. */
  readonly failures: readonly ReportFailure[];
  /** Rows whose reason is not among them. */
  readonly otherFailures: number;
  /** Rows by their take. */
  readonly takes: readonly { readonly take: number; readonly rows: number }[];
  /** Requests that were sent, and those among them that repeat a refused one. */
  readonly requests: { readonly sent: number; readonly repeated: number };
  readonly actions: readonly ReportAction[];
}

/** Some rows of a report in order, a list for each column. */
export interface ReportBlock {
  readonly row: number[];
  readonly id: string[];
  readonly kind: string[];
  readonly standing: (Outcome | RowState)[];
  readonly take: number[];
  /** The take that it is at: a person may have gone back to it. */
  readonly takeInUse: number[];
  readonly requests: number[];
  readonly voice: (string | null)[];
  readonly text: string[];
  readonly seconds: (number | null)[];
  /** Seconds from its last paid request to the end of the job. */
  readonly job: (number | null)[];
  readonly quoted: (number | null)[];
  readonly charged: number[];
  readonly class: string[];
  readonly message: string[];
  /** Path below the out folder; empty: no file. */
  readonly file: string[];
  readonly media: ('audio' | 'video' | 'text' | 'other' | null)[];
  /** ms since 1970. */
  readonly ended: (number | null)[];
}
