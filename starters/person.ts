import type { Person, SpendQuestion } from '../client/person.ts';
import type { RedriveFacts } from '../client/redrive/redrive-options.ts';
import { doubtsQuestion } from './redrive/redrive-words.ts';
import { askYesNo } from './terminal/ask.ts';
import type { Output } from './terminal/output.ts';
import { noteText, questionText } from './terminal/spend-words.ts';

/** What a question may show: a bill, and for a redrive the rows that are at risk. */
type Facts = SpendQuestion['facts'] & Partial<Pick<RedriveFacts, 'replaced' | 'lost' | 'resubmitted'>>;

/** The user at the command line, who can be asked before money is spent. */
export type PersonHere = Person<SpendQuestion<Facts>>;

/**
 * Returns the user of this command. `input`: the manifest argument; the user cannot be asked while stdin (`-`) has the
 * rows. `ask`: asks a yes-no question.
 */
export function personAt(
  { isInteractive, say }: Pick<Output, 'isInteractive' | 'say'>,
  { yes = false }: { readonly yes?: boolean },
  input = '',
  ask: (question: string) => Promise<boolean> = askYesNo,
): PersonHere {
  return {
    yes,
    canAsk: isInteractive && input !== '-',
    mustAgree: true,
    note: (note, facts) => {
      say(noteText(note, facts));
    },
    confirm: async (question) => {
      for (const text of questionsOf(question)) if (!(await ask(text))) return false;
      return true;
    },
  };
}

/** Returns a question as texts, each to be answered with yes. */
export function questionsOf({ facts, about }: SpendQuestion<Facts>): readonly string[] {
  const { replaced = 0, lost = 0, resubmitted = 0 } = facts;
  return about.flatMap(
    (what) => (what === 'bill' ? questionText(facts) : doubtsQuestion({ replaced, lost, resubmitted })) ?? [],
  );
}
