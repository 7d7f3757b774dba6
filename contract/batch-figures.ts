import type { Control, Outcome, RowState } from './outcomes.ts';

/** What the page and the report show of a batch alike. Times are in ISO 8601. */
export interface BatchFigures {
  readonly batch: string;
  /** One word for its state. */
  readonly standing: string;
  readonly state: 'loading' | 'open' | 'closed';
  /** Null: it is closed. */
  readonly control: Control | null;
  readonly rows: number;
  /** Rows with a result. */
  readonly done: number;
  readonly notChosen: number;
  readonly outcomes: Readonly<Record<Outcome, number>>;
  readonly credits: {
    readonly charged: number;
    readonly reserved: number;
    readonly uncertain: number;
    readonly saved: number;
  };
  readonly budget: number | null;
  readonly budgetLeft: number | null;
  readonly createdAt: string;
  /** When its first paid request was made. */
  readonly startedAt: string | null;
  readonly endedAt: string | null;
}

/** Why rows have no result, or are in trouble now. */
export interface ReasonFigures {
  readonly standing: Outcome | RowState;
  readonly class: string;
  readonly cause: string;
  readonly rows: number;
}

/** How many rows ended when, in spans of equal width; spans without any are left out. */
export interface EndFigures {
  /** When the first span begins and the last one ends. */
  readonly from: string;
  readonly to: string;
  readonly widthMs: number;
  readonly spans: readonly { readonly at: string; readonly ends: Readonly<Partial<Record<Outcome, number>>> }[];
}
