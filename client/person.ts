import type { SpendFacts, SpendNote } from '../contract/spend.ts';
import type { OpenApi } from './open-api.ts';

/**
 * Whoever answers for money in a use case: the person at a terminal, the `confirm` of a program, or nobody.
 *
 * `Question`: what is asked.
 */
export interface Person<Question = SpendQuestion> {
  /** Has agreed in advance, and is not asked. */
  readonly yes: boolean;
  /** Can be asked. */
  readonly canAsk: boolean;
  /**
   * Must agree to what may be paid for twice: where it cannot be asked, that is refused. Default: whoever asked for it has
   * agreed to it.
   */
  readonly mustAgree?: boolean;
  /** Is told what one should know of a bill that may be paid. Default: is not told. */
  readonly note?: (note: SpendNote, facts: SpendFacts) => void;
  /** Answers a question. Called only if `canAsk` is true and `yes` is false. */
  readonly confirm: (question: Question) => boolean | Promise<boolean>;
}

/**
 * A question of money. `about`: `bill`: it is above the threshold; `doubts`: a result would be replaced, or a row may be
 * charged twice.
 */
export interface SpendQuestion<Facts extends SpendFacts = SpendFacts> {
  readonly facts: Facts;
  readonly about: readonly ('bill' | 'doubts')[];
}

/** Called before something is paid for. If it returns false, nothing is charged. */
export type Confirm<Facts extends SpendFacts = SpendFacts> = (facts: Facts) => boolean | Promise<boolean>;

/** Nobody is there: what needs a yes is refused. */
export const NOBODY: Person<unknown> = { yes: false, canAsk: false, confirm: () => false };

/** The person that the option `confirm` of a program is. */
export function personOf<Facts extends SpendFacts>(confirm: Confirm<Facts> | undefined): Person<SpendQuestion<Facts>> {
  return confirm === undefined ? NOBODY : { yes: false, canAsk: true, confirm: ({ facts }) => confirm(facts) };
}

/** What {@link SpendFacts} say of the one who pays. `confirmAbove`: credits; null: no bill has to be confirmed. */
export type Payer = Pick<SpendFacts, 'balance' | 'yes' | 'canAsk' | 'confirmAbove'>;

/** A person as the payer of a bill. */
export function payerOf(
  { yes, canAsk }: Pick<Person, 'yes' | 'canAsk'>,
  { profile }: Pick<OpenApi, 'profile'>,
  confirmAbove: number | null,
): Payer {
  return { yes, canAsk, confirmAbove, balance: profile.quotaRemaining ?? null };
}
