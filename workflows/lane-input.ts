import type { RowAttempt } from '../contract/batch.ts';
import type { Control } from '../contract/outcomes.ts';
import type { LaneShare } from './policy/window.ts';

/** A lane's state: what it starts with, and what it passes on when it continues as new. Row numbers and small words only. */
export interface LaneInput extends LaneShare {
  readonly batch: string;
  /** The run of the batch that this lane belongs to; part of every claim. */
  readonly run: string;
  readonly lane: number;
  readonly control: Control;
  /** Continue as new after this many events; null: when the server suggests it. */
  readonly continueAfterEvents: number | null;
  /** Claims made so far. */
  readonly claims: number;
  /** No unclaimed row is left. */
  readonly exhausted: boolean;
  /** Asks the ledger after each piece of news, and now and then while it is idle. Lanes that an older version started do not. */
  readonly asks?: true;
  /** Attempts to make. */
  readonly ready: readonly RowAttempt[];
  /** Attempts whose jobs run. */
  readonly waiting: readonly RowAttempt[];
}
