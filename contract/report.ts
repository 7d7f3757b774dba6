import type { ActionKind, ActorType } from './actions.ts';
import type { BatchFigures, EndFigures, ReasonFigures } from './batch-figures.ts';
import type { Outcome, RowState } from './outcomes.ts';

/** The HTML report of a batch: the data that `results/` embeds in it, and that the script in the report displays. */

/**
 * Values of `--report`. `none`: no report. `short`: only rows without their result. `full`: all rows, or a sample of
 * them if there are very many.
 */
export const REPORT_CHOICES = ['none', 'short', 'full'] as const;
/** Which report is written beside the tables. */
export type ReportChoice = (typeof REPORT_CHOICES)[number];
/** For a batch that was started without `--report`. */
export const DEFAULT_REPORT: ReportChoice = 'full';

/** Name of the report in the out folder. */
export const REPORT_FILE = 'report.html';
/** Name of the report without texts, names and reasons, for sharing. */
export const SHARED_REPORT_FILE = 'report-no-text.html';

/** Ids of the HTML elements that hold the report's data as JSON. */
export const REPORT_ELEMENTS = { head: 'report-head', rows: 'report-rows' } as const;

/** A histogram. The bars are of equal width; the last one also counts all larger values. */
export interface DistributionView {
  readonly values: number;
  readonly least: number;
  readonly most: number;
  readonly mean: number;
  readonly median: number;
  readonly p95: number;
  readonly bars: readonly { readonly from: number; readonly to: number; readonly values: number }[];
}

/** Quotes and charges of the requests of a step, in credits. */
export interface BillLine {
  readonly step: string;
  /** Accepted requests. */
  readonly requests: number;
  /** Sum of quotes of requests that have a quote and a charge. */
  readonly quoted: number;
  /** Sum of charges of the same requests. */
  readonly charged: number;
  /** Sum of charges of requests without a quote. */
  readonly unquoted: number;
  /** Accepted requests whose charge is our quote, because the API named none. */
  readonly estimated: number;
}

/** A reason with example rows. */
export interface ReportFailure extends ReasonFigures {
  /** The first row of each different message; messages are empty in a report without texts. */
  readonly examples: readonly { readonly id: string; readonly message: string }[];
}

/** A recorded action on the batch. */
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
  /** When the current work on the batch began: its start, or the latest time that it was reopened. */
  readonly since: string | null;
  /** For an open batch, the time of the latest recorded event; null if nothing has happened yet. */
  readonly asOf: string | null;
  /** Sentences that say what to do next. */
  readonly notes: readonly string[];
  /** Which rows are listed. `every`: 1, or N if only every Nth row with a result is listed. */
  readonly listed: {
    readonly rows: number;
    readonly choice: ReportChoice;
    readonly every: number;
  };
  /** Max characters of a listed text; null in a report without texts. */
  readonly longestText: number | null;
  /** Relative path from the report to the out folder, empty or ending in `/`; null if files are not linked. */
  readonly folder: string | null;
  readonly bill: readonly BillLine[];
  readonly jobTimes: readonly { readonly step: string; readonly seconds: DistributionView }[];
  readonly lengths: DistributionView | null;
  readonly prices: DistributionView | null;
  readonly ends: EndFigures | null;
  /** The most frequent reasons, most rows first. */
  readonly failures: readonly ReportFailure[];
  /** Number of rows with other reasons. */
  readonly otherFailures: number;
  /** Number of rows by take. */
  readonly takes: readonly { readonly take: number; readonly rows: number }[];
  /** Requests that were sent, and those among them that repeat a refused one. */
  readonly requests: { readonly sent: number; readonly repeated: number };
  readonly actions: readonly ReportAction[];
}

/** A block of consecutive rows of the report, stored by column: each list has one value per row. */
export interface ReportBlock {
  readonly row: number[];
  readonly id: string[];
  readonly kind: string[];
  readonly standing: (Outcome | RowState)[];
  readonly take: number[];
  /** The take whose result the row has: an earlier one if a person went back to it. */
  readonly takeInUse: number[];
  readonly requests: number[];
  readonly voice: (string | null)[];
  readonly text: string[];
  readonly seconds: (number | null)[];
  /** Seconds from the row's last paid request to the end of its job. */
  readonly job: (number | null)[];
  readonly quoted: (number | null)[];
  readonly charged: number[];
  readonly class: string[];
  readonly message: string[];
  /** Path of the result relative to the out folder; empty without a file. */
  readonly file: string[];
  readonly media: ('audio' | 'video' | 'text' | 'other' | null)[];
  /** ms since 1970. */
  readonly ended: (number | null)[];
}
