import { decideSpend, type SpendFacts, type SpendRefusal } from '../../policy/money/spend.ts';

/** Called before something is paid for. If it returns false, nothing is charged. */
export type Confirm<Facts extends SpendFacts = SpendFacts> = (facts: Facts) => boolean | Promise<boolean>;

/** Why rows may not be paid for: because of their bill, or because `confirm` said no. */
export type NotApproved<Facts extends SpendFacts = SpendFacts> =
  | { readonly type: 'refused'; readonly why: SpendRefusal; readonly facts: Facts }
  | { readonly type: 'declined'; readonly facts: Facts };

/**
 * Approves a bill: by the rules of `policy/money/spend.ts`, and by `confirm` if they want it, or if `asks` is true.
 * Undefined: it may be paid.
 */
export async function approve<Facts extends SpendFacts>(
  facts: Facts,
  confirm: Confirm<Facts> | undefined,
  asks = false,
): Promise<NotApproved<Facts> | undefined> {
  const decision = decideSpend(facts);
  if (decision.type === 'refuse') return { type: 'refused', why: decision.why, facts };
  if (decision.type !== 'ask' && !asks) return undefined;
  const isConfirmed = confirm === undefined ? decision.type !== 'ask' : await confirm(facts);
  return isConfirmed ? undefined : { type: 'declined', facts };
}
