import type { NotApproved } from '../../client/run/approval.ts';
import { ExitError } from '../exit-error.ts';
import { refusalText, UNSPENT, type TellableFacts } from '../terminal/spend-words.ts';

/** Why rows may not be paid for. */
export type SpendRefused = NotApproved<TellableFacts>;
type Why = Extract<SpendRefused, { readonly type: 'refused' }>['why'];

/** Says why rows may not be paid for, and what can be done. */
export type RefusalWords = (why: Why, facts: TellableFacts) => string;

/** The error of rows that may not be paid for. */
export function spendError(refused: SpendRefused, refusal: RefusalWords = refusalText): ExitError {
  return new ExitError(
    'refused',
    refused.type === 'declined' ? `Not confirmed. ${UNSPENT}` : refusal(refused.why, refused.facts),
  );
}
