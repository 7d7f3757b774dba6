import type { AttemptKey } from '../../contract/batch.ts';
import type { MakingAttempt } from '../../ledger/making.ts';
import { isPassedOver, look, type Watch } from '../../policy/awaited-result.ts';
import { nameOf } from '../attempt.ts';

/** The requests of other rows that a row no longer waits for, because nobody works on them. */
export class PassedOver {
  readonly attempts: AttemptKey[] = [];
  #watch: Watch | undefined;

  /** The row waits for this attempt. Returns true if it need not any longer. `now`: monotonic, ms. */
  sees({ isAttended, ...attempt }: MakingAttempt, now: number): boolean {
    this.#watch = look(this.#watch, { attempt: nameOf(attempt), isAttended }, now);
    if (!isPassedOver(this.#watch, now)) return false;
    this.attempts.push(attempt);
    return true;
  }
}
