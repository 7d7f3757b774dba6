import type { Failure } from '../../contract/failures.ts';

/** Failures of requests whose answer is lost for a reason of ours: a killed process, or a restored ledger. */

/** Failure of a request whose sender ended after it recorded the intent and before it recorded the answer. */
export const PROCESS_ENDED = {
  class: 'OutcomeUnknown',
  message: 'The process ended between recording the request and recording its answer; the API may have charged for it.',
  cause: 'the process ended',
} as const satisfies Failure;

/** Cause of a request that was sent after the backup that the ledger was restored from. */
const AFTER_BACKUP = 'sent after the backup of the ledger';

/** The causes in this file. They say nothing about the API or the manifest. */
export const OWN_CAUSES = [PROCESS_ENDED.cause, AFTER_BACKUP];

/** Whether an answer was lost because one of our processes ended, or the ledger was restored. */
export function isProcessEnd({ class: name, cause = '' }: Pick<Failure, 'class' | 'cause'>): boolean {
  return name === PROCESS_ENDED.class && OWN_CAUSES.includes(cause);
}

/**
 * Returns the failure of a request that a restored ledger lacks, although its result is in the store. `writtenAt`: ms
 * since 1970.
 */
export function foundInStore({ key, writtenAt }: { readonly key: string; readonly writtenAt: number }): Failure {
  const time = new Date(writtenAt).toISOString();
  const message = `Its result is in the store (${key}, written ${time}), but the ledger, which was restored, has no answer to its request: that was sent, and most likely charged.`;
  return { class: 'OutcomeUnknown', message: message.slice(0, 500), cause: AFTER_BACKUP, storedAs: key };
}
