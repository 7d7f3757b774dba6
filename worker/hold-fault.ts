import { AnswersLost } from '../contract/answers-lost.ts';
import type { Dependencies } from '../activities/dependencies.ts';
import { LedgerUnreachable } from '../ledger/errors.ts';
import { watchOutage, type OutageEvent } from './watch-outage.ts';

/**
 * Tells the process of a fault only once no paid answer is on its way or in hand: it would end, and lose those that the
 * disk still refuses. Nothing more is sent meanwhile, and a person is told what to mend. `raise` gets {@link
 * AnswersLost} if the process had to end before that.
 */
export async function holdFault(
  { sends, lostAnswers }: Pick<Dependencies, 'sends' | 'lostAnswers'>,
  fault: Error,
  { tell, raise }: { readonly tell: (event: OutageEvent) => void; readonly raise: (fault: Error) => void },
): Promise<void> {
  const since = performance.now();
  const news = { problem: fault.message, needsPerson: true };
  const endWatch = watchOutage(
    fault instanceof LedgerUnreachable ? 'ledger' : 'store',
    () => Promise.resolve({ ...news, forMs: performance.now() - since }),
    tell,
  );
  await sends.idle();
  endWatch();
  const { count } = lostAnswers;
  raise(count === 0 ? fault : new AnswersLost(fault, count));
}
