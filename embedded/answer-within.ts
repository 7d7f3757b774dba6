import { ServiceError } from '@temporalio/client';

/**
 * What `ask` brings, if that comes in time; otherwise rejects with a `ServiceError`, and whatever comes later is dropped.
 *
 * The SDK has deadlines of its own (`withDeadline`). They live in an AsyncLocalStorage, and before Node 24 one that was ever entered makes
 * every promise of the process run a hook: a tenth of what a row costs.
 */
export async function answerWithin<T>(ms: number, ask: () => Promise<T>): Promise<T> {
  const answer = ask();
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => {
      reject(new ServiceError(`Temporal did not answer within ${String(ms / 1000)} s`));
    }, ms);
  });
  try {
    return await Promise.race([answer, late]);
  } finally {
    clearTimeout(timer);
    answer.catch(() => undefined);
  }
}
