import type { Failure } from '../../contract/failures.ts';

/** Why nobody knows what became of a request: its sender was killed after it had recorded it, and before its answer. */
export const PROCESS_ENDED = {
  class: 'OutcomeUnknown',
  message: 'The process ended between recording the request and recording its answer; the API may have charged for it.',
  cause: 'the process ended',
} as const satisfies Failure;

/** Whether an answer was lost by the end of a process of ours: that says nothing about the API or the manifest. */
export function isProcessEnd({ class: name, cause }: Pick<Failure, 'class' | 'cause'>): boolean {
  return name === PROCESS_ENDED.class && cause === PROCESS_ENDED.cause;
}
