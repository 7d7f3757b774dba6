import type { Failure } from '../../contract/failures.ts';

/** Failure of a request whose sender was killed after recording it and before its answer. */
export const PROCESS_ENDED = {
  class: 'OutcomeUnknown',
  message: 'The process ended between recording the request and recording its answer; the API may have charged for it.',
  cause: 'the process ended',
} as const satisfies Failure;

/** Whether an answer was lost because one of our processes ended, which says nothing about the API or the manifest. */
export function isProcessEnd({ class: name, cause }: Pick<Failure, 'class' | 'cause'>): boolean {
  return name === PROCESS_ENDED.class && cause === PROCESS_ENDED.cause;
}
