import { decideSpend } from '../policy/spend.ts';
import { ExitError } from './exit-error.ts';
import { askYesNo } from './terminal/ask.ts';
import type { Output } from './terminal/output.ts';
import { noteText, questionText, refusalText, UNSPENT, type TellableFacts } from './terminal/spend-words.ts';

/** Decides by `policy/spend.ts`, says the notes, asks if need be. Throws {@link ExitError} `refused`. */
export async function checkSpend(
  facts: TellableFacts,
  output: Output,
  ask: (question: string) => Promise<boolean> = askYesNo,
): Promise<void> {
  const decision = decideSpend(facts);
  for (const note of decision.notes) output.say(noteText(note, facts));
  if (decision.do === 'refuse') throw new ExitError('refused', refusalText(decision.why, facts));
  if (decision.do === 'ask' && !(await ask(questionText(facts)))) {
    throw new ExitError('refused', `Not confirmed. ${UNSPENT}`);
  }
}
