import type { Failure } from '../../contract/failures.ts';

/** Longest message of a failure, in characters. */
const LONGEST_MESSAGE = 500;

/** Appends to the failure's message what it costs, in brackets, unless the message already says so. */
export function withCostNote(failure: Failure, note: string): Failure {
  if (failure.message.includes('charged')) return failure;
  const words = failure.message.slice(0, LONGEST_MESSAGE - ` (${note})`.length);
  return { ...failure, message: `${words} (${note})` };
}
