import type { SpendFacts, SpendNote, SpendRefusal } from '../contract/spend.ts';
import type { OpenApi } from './open-api.ts';
import { decideSpend } from '../policy/money/spend.ts';

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

/** Why rows may not be paid for: because of their bill, or because the person said no. */
export type NotApproved<Facts extends SpendFacts = SpendFacts> =
  | { readonly type: 'refused'; readonly why: SpendRefusal; readonly facts: Facts }
  | { readonly type: 'declined'; readonly facts: Facts };

/**
 * Approves a bill: by the rules of `policy/money/spend.ts`, and by the person if they want it, or if it `isDoubtful`: a
 * result would be replaced, or a row may be charged twice. Where nobody can be asked, whoever asked for that has agreed to
 * it. `facts`: made with this person as payer. Undefined: it may be paid.
 */
export async function approve<Facts extends SpendFacts>(
  facts: Facts,
  person: Person<SpendQuestion<Facts>>,
  isDoubtful = false,
): Promise<NotApproved<Facts> | undefined> {
  const decision = decideSpend(facts);
  for (const note of decision.notes) person.note?.(note, facts);
  if (decision.type === 'refuse') return { type: 'refused', why: decision.why, facts };
  const about = [
    ...(decision.type === 'ask' ? (['bill'] as const) : []),
    ...(isDoubtful && !person.yes && person.canAsk ? (['doubts'] as const) : []),
  ];
  return about.length === 0 || (await person.confirm({ facts, about })) ? undefined : { type: 'declined', facts };
}
