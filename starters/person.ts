import type { Person, SpendQuestion } from '../client/person.ts';
import type { RedriveFacts } from '../client/redrive/redrive-options.ts';
import { doubtsQuestion } from './redrive/redrive-words.ts';
import { askYesNo } from './terminal/ask.ts';
import type { Output } from './terminal/output.ts';
import { noteText, questionText } from './terminal/spend-words.ts';

type Facts = SpendQuestion['facts'] & Partial<Pick<RedriveFacts, 'replaced' | 'lost' | 'resubmitted'>>;

/** The person who typed a command, at a terminal. */
export type PersonHere = Person<SpendQuestion<Facts>>;

/**
 * The person who typed a command. `input`: the source of its rows; if that is standard input (`-`), nobody can be
 * asked.
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

/** The sentences in which a question is asked. */
export function questionsOf({ facts, about }: SpendQuestion<Facts>): readonly string[] {
  const { replaced = 0, lost = 0, resubmitted = 0 } = facts;
  return about.flatMap(
    (what) => (what === 'bill' ? questionText(facts) : doubtsQuestion({ replaced, lost, resubmitted })) ?? [],
  );
}
