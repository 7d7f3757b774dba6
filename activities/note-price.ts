import { defined } from '../contract/defined.ts';
import type { AnswerFacts } from '../api/speech-api.ts';
import type { AttemptKey } from '../contract/batch.ts';
import type { Dependencies } from './dependencies.ts';

/**
 * Notes what an answer says of its price before its result is stored. If the worker dies between the result and the verdict, the
 * result is found in the store, and its price here. A note that cannot be written is no loss: the verdict carries the price, too.
 */
export async function notePrice(
  deps: Pick<Dependencies, 'ledger' | 'log'>,
  key: AttemptKey,
  { credits, requestId }: AnswerFacts,
): Promise<void> {
  if (credits === undefined) return;
  try {
    await deps.ledger.notePrice(key, { credits, ...defined({ requestId }) });
  } catch (error) {
    deps.log.warn({ ...key, credits }, `a price cannot be noted: ${error instanceof Error ? error.message : ''}`);
  }
}
