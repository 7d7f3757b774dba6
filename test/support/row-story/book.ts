import type { RowAttempt } from '../../../contract/batch.ts';
import type { Failure } from '../../../contract/failures.ts';
import type { AttemptState, Outcome } from '../../../contract/outcomes.ts';
import type { Kind, Step } from '../../../contract/row-kinds.ts';
import type { SettleVerdict } from '../../../ledger/requests/settle.ts';
import type { Retake, RowEffect, RowEnding } from '../../../ledger/rows/row-effects.ts';
import type { ResultFile } from '../../../ledger/records.ts';
import type { RedriveChoice } from '../../../ledger/takes/redrive.ts';
import type { RedriveAttempt } from '../../../policy/redrive/redrive.ts';

/** A row as a book has it. */
export interface RowNow {
  readonly row: number;
  readonly kind: Kind;
  readonly take: number;
  readonly redoFrom: Step | null;
  readonly outcome: Outcome | null;
  readonly failure: Failure | null;
  readonly attempts: readonly RedriveAttempt[];
  /** Its result. Only the ledger has any. */
  readonly file?: ResultFile | null;
}

/** What a job brought. */
export interface JobEnd {
  readonly failure?: Failure | undefined;
  readonly file?: ResultFile | undefined;
}

/**
 * What a story writes in: the ledger of one batch, or a model of it. The methods mean what those of the same name mean in
 * `ledger/ledger.ts`.
 */
export interface Book {
  look(row: number): Promise<RowNow>;
  intend(
    key: RowAttempt,
    price: { readonly quoted: number; readonly quotedRest: number },
  ): Promise<'go' | 'blocked' | 'full' | 'short' | 'over-budget' | 'exists'>;
  revoke(key: RowAttempt): Promise<AttemptState>;
  settle(key: RowAttempt, verdict: SettleVerdict, effect: RowEffect): Promise<boolean>;
  finishJob(key: RowAttempt, end: JobEnd, effect: RowEffect): Promise<boolean>;
  changeRunning(key: RowAttempt, ending: RowEnding): Promise<void>;
  giveUp(key: RowAttempt, ending: RowEnding | Retake): Promise<void>;
  cancelRest(): Promise<void>;
  /** True if the row is open again, or has ended by it; false if it was left alone or the choice is refused. */
  redrive(choice: RedriveChoice): Promise<boolean>;
}
