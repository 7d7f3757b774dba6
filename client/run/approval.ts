import type { SpendFacts, SpendRefusal } from '../../contract/spend.ts';
import { decideSpend } from '../../policy/money/spend.ts';
import type { Person, SpendQuestion } from '../person.ts';

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
