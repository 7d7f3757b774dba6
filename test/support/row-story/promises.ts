import { expect } from '@jest/globals';
import type { RowAttempt } from '../../../contract/batch.ts';
import { hasResult, type AttemptState } from '../../../contract/outcomes.ts';
import type { Book, RowNow } from './book.ts';
import { isSame, PRICE, type Rules, type Seen } from './rules.ts';

/** A request that the API heard, and whether it took it. */
interface Sent {
  readonly key: RowAttempt;
  readonly taken: boolean;
}

const FINAL: readonly AttemptState[] = ['not-accepted', 'rejected', 'revoked', 'done'];

/** The promises of the row machine, checked against what the API really took. */
export class Promises {
  readonly #book: Book;
  readonly #rules: Rules;
  readonly #seen: Seen;
  readonly #sent: Sent[] = [];
  #before: readonly RowNow[] = [];

  constructor(book: Book, rules: Rules, seen: Seen) {
    this.#book = book;
    this.#rules = rules;
    this.#seen = seen;
  }

  /** What must be true of a row for a request to be allowed. */
  checkIntent({ outcome, take, attempts }: RowNow, key: RowAttempt): void {
    const ofStep = attempts.filter(({ step }) => step === key.step);
    const ofTake = ofStep.filter((one) => one.take === key.take);
    expect({ outcome, take, attempt: key.attempt }).toEqual({
      outcome: null,
      take: key.take,
      attempt: ofTake.length + 1,
    });
    expect(ofTake.filter(({ state }) => state !== 'not-accepted' && state !== 'revoked')).toEqual([]);
    expect(ofStep.filter(({ state }) => state === 'sending')).toEqual([]);
  }

  /** Right as a request goes out. */
  async hear(key: RowAttempt, taken: boolean): Promise<void> {
    const { attempts } = await this.#book.look(key.row);
    for (const other of this.#sent) {
      if (other.key.row !== key.row || other.key.step !== key.step || other.key.take !== key.take) continue;
      const state = attempts.find((one) => isSame({ ...one, row: key.row }, other.key))?.state;
      expect({ key, other, state }).toEqual({ key, other: { key: other.key, taken: false }, state: 'not-accepted' });
    }
    this.#sent.push({ key, taken });
    this.#seen.sends += 1;
  }

  /** Credits of all requests that the API took. */
  get taken(): number {
    return this.#sent.filter((one) => one.taken).length * PRICE;
  }

  /** After each command; `asked`: the row that a person opened by it. */
  async check(asked?: number): Promise<void> {
    const rows = await lookAtAll(this.#book, this.#rules);
    for (const [index, now] of rows.entries()) this.#checkRow(this.#before[index] ?? now, now, asked === now.row);
    const taken = this.#sent.filter((one) => one.taken);
    expect(new Set(taken.map(({ key }) => `${key.row} ${key.step} ${key.take}`)).size).toBe(taken.length);
    if (this.#rules.budget !== null) expect(this.taken).toBeLessThanOrEqual(this.#rules.budget);
    this.#before = rows;
  }

  #checkRow(was: RowNow, now: RowNow, wasAsked: boolean): void {
    if (now.take < was.take) {
      // The budget refused what was to replace a request in doubt: nothing was ever recorded for that take.
      expect(now.take).toBe(was.take - 1);
      // With `unfit`, the answer to its check was lost.
      expect(now.outcome === null || hasResult(now.outcome)).toBe(false);
      expect(was.attempts.filter(({ take }) => take === was.take)).toEqual([]);
    } else if (now.take !== was.take) {
      expect(now.take).toBe(was.take + 1);
      this.#seen.newTakes += 1;
      // Nobody but a person opens a row that has ended.
      if (!wasAsked) expect(was.outcome).toBeNull();
    } else if (was.outcome !== null && now.outcome !== was.outcome && !wasAsked) {
      // What is kept of a row whose check has no answer ends as that says, when it comes.
      const isKept = this.#rules.verified === true && was.outcome === 'unfit';
      const isLate = isKept || was.outcome === 'unknown' || was.failure?.class === 'OutcomeUnknown';
      expect(isLate || was.outcome === 'overdue').toBe(true);
    }
    for (const attempt of was.attempts) {
      const after = now.attempts.find((one) => isSame({ ...one, row: 0 }, { ...attempt, row: 0 }));
      if (FINAL.includes(attempt.state)) expect(after?.state).toBe(attempt.state);
    }
  }
}

/** All rows of a story, by number. */
export function lookAtAll(book: Book, { kinds }: Rules): Promise<RowNow[]> {
  return Promise.all(kinds.map((_, index) => book.look(index + 1)));
}
