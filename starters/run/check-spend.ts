import { decideSpend, type SpendRefusal } from '../../policy/money/spend.ts';
import { ExitError } from '../exit-error.ts';
import { askYesNo } from '../terminal/ask.ts';
import type { Output } from '../terminal/output.ts';
import { noteText, questionText, refusalText, UNSPENT, type TellableFacts } from '../terminal/spend-words.ts';

/** Says why rows may not be paid for, and what can be done. */
export type RefusalWords = (why: SpendRefusal, facts: TellableFacts) => string;

/** Decides by `policy/money/spend.ts`, prints the notes, asks if needed. Throws {@link ExitError} `refused`. */
export async function checkSpend(
  facts: TellableFacts,
  output: Output,
  {
    ask = askYesNo,
    refusal = refusalText,
  }: { readonly ask?: (question: string) => Promise<boolean>; readonly refusal?: RefusalWords } = {},
): Promise<void> {
  const decision = decideSpend(facts);
  for (const note of decision.notes) output.say(noteText(note, facts));
  if (decision.type === 'refuse') throw new ExitError('refused', refusal(decision.why, facts));
  if (decision.type === 'ask' && !(await ask(questionText(facts)))) {
    throw new ExitError('refused', `Not confirmed. ${UNSPENT}`);
  }
}
