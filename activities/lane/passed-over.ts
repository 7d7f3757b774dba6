import type { AttemptKey } from '../../contract/batch.ts';
import type { MakingAttempt } from '../../ledger/making.ts';
import { isPassedOver, look, type Watch } from '../../policy/cache/awaited-result.ts';
import { nameOf } from '../attempt.ts';

/** The requests of other rows that a row no longer waits for, because nobody works on them. */
export class PassedOver {
  readonly attempts: AttemptKey[] = [];
  #watch: Watch | undefined;

  /** The row waits for this attempt, which is passed over once nobody has worked on it for long. `now`: monotonic, ms. */
  sees({ isAttended, ...attempt }: MakingAttempt, now: number): void {
    this.#watch = look(this.#watch, { attempt: nameOf(attempt), isAttended }, now);
    if (isPassedOver(this.#watch, now)) this.attempts.push(attempt);
  }
}
