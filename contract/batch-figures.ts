import type { Control, Outcome, RowState } from './outcomes.ts';

/** The summary of a batch that both the live page and the HTML report show. Times are in ISO 8601, money in credits. */
export interface BatchFigures {
  readonly batch: string;
  /** Its state as one word for people, such as `running` or `paused`. */
  readonly standing: string;
  readonly state: 'loading' | 'open' | 'closed';
  /** Null once the batch is closed. */
  readonly control: Control | null;
  readonly rows: number;
  /** Rows with a result. */
  readonly done: number;
  /** Rows that `--limit` or `--sample` left out. */
  readonly notChosen: number;
  readonly outcomes: Readonly<Record<Outcome, number>>;
  readonly credits: {
    readonly charged: number;
    readonly reserved: number;
    /** May have been charged: the answers were lost. */
    readonly uncertain: number;
    /** Not paid, because earlier results were reused. */
    readonly saved: number;
  };
  readonly budget: number | null;
  readonly budgetLeft: number | null;
  readonly createdAt: string;
  /** When its first paid request was made. */
  readonly startedAt: string | null;
  readonly endedAt: string | null;
}

/** A reason why rows have no result, or why open rows have none so far. */
export interface ReasonFigures {
  readonly standing: Outcome | RowState;
  readonly class: string;
  readonly cause: string;
  readonly rows: number;
}

/** A histogram of when rows ended, in time spans of equal width. Spans in which no row ended are omitted. */
export interface EndFigures {
  /** Start of the first span, end of the last. */
  readonly from: string;
  readonly to: string;
  readonly widthMs: number;
  readonly spans: readonly { readonly at: string; readonly ends: Readonly<Partial<Record<Outcome, number>>> }[];
}
