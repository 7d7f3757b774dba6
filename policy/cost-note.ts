import type { Failure } from '../contract/failures.ts';

/** Longest message of a failure, in characters. */
const LONGEST_MESSAGE = 500;

/** The failure with a message that also says what it costs, in brackets at its end; one that speaks of that already stays as it is. */
export function withCostNote(failure: Failure, note: string): Failure {
  if (failure.message.includes('charged')) return failure;
  const words = failure.message.slice(0, LONGEST_MESSAGE - ` (${note})`.length);
  return { ...failure, message: `${words} (${note})` };
}
