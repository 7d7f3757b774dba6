import type { SpendFacts, SpendNote, SpendRefusal } from '../contract/spend.ts';
import type { ConnectedApi } from './connect-api.ts';
import { decideSpend } from '../policy/money/spend.ts';

/**
 * Whoever approves spending: a person at a terminal, a program's `confirm` function, or nobody. `Question`: what is
 * asked.
 */
export interface Person<Question = SpendQuestion> {
  /** Has agreed in advance (`--yes`), so is not asked. */
  readonly yes: boolean;
  /** Can be asked. */
  readonly canAsk: boolean;
  /**
   * Whether a command that may charge a row twice needs explicit consent, and is refused if nobody can be asked.
   * Default false: issuing such a command counts as consent.
   */
  readonly mustAgree?: boolean;
  /** Receives remarks on a bill that may be paid. Default: none. */
  readonly note?: (note: SpendNote, facts: SpendFacts) => void;
  /** Answers a question. Called only if `canAsk` is true and `yes` is false. */
  readonly confirm: (question: Question) => boolean | Promise<boolean>;
}

/**
 * A question about spending. `about`: `bill` if it is above the threshold; `doubts` if a result would be replaced or a
 * row may be charged twice.
 */
export interface SpendQuestion<Facts extends SpendFacts = SpendFacts> {
  readonly facts: Facts;
  readonly about: readonly ('bill' | 'doubts')[];
}

/** Called before anything is paid for. If it returns false, nothing is charged. */
export type Confirm<Facts extends SpendFacts = SpendFacts> = (facts: Facts) => boolean | Promise<boolean>;

/** Nobody to ask: whatever needs consent is refused. */
export const NOBODY: Person<unknown> = { yes: false, canAsk: false, confirm: () => false };

/** Wraps a program's `confirm` option as a {@link Person}. */
export function personOf<Facts extends SpendFacts>(confirm: Confirm<Facts> | undefined): Person<SpendQuestion<Facts>> {
  return confirm === undefined ? NOBODY : { yes: false, canAsk: true, confirm: ({ facts }) => confirm(facts) };
}

/**
 * The payer's part of {@link SpendFacts}. `confirmAbove`: bills above this many credits need confirmation; null means
 * none do.
 */
export type Payer = Pick<SpendFacts, 'balance' | 'yes' | 'canAsk' | 'confirmAbove'>;

/** Describes a person as the payer of a bill. */
export function payerOf(
  { yes, canAsk }: Pick<Person, 'yes' | 'canAsk'>,
  { profile }: Pick<ConnectedApi, 'profile'>,
  confirmAbove: number | null,
): Payer {
  return { yes, canAsk, confirmAbove, balance: profile.quotaRemaining ?? null };
}

/** Why rows may not be paid for: the bill was refused, or the person declined. */
export type NotApproved<Facts extends SpendFacts = SpendFacts> =
  | { readonly type: 'refused'; readonly why: SpendRefusal; readonly facts: Facts }
  | { readonly type: 'declined'; readonly facts: Facts };

/**
 * Approves a bill by the rules of `policy/money/spend.ts`, and by asking the person if those rules require it or the
 * bill `isDoubtful`: a result would be replaced, or a row may be charged twice. If nobody can be asked, issuing the
 * command counts as consent to that; a caller that needs more checks {@link lacksConsent} first. `facts`: computed with
 * this person as the payer. Returns undefined if it may be paid.
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

/** Whether a possible double charge needs explicit consent that was not given and that nobody can be asked for. */
export function lacksConsent({ mustAgree = false, yes, canAsk }: Omit<Person, 'confirm'>): boolean {
  return mustAgree && !yes && !canAsk;
}
