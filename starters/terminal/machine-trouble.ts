import { isDiskTrouble, isMachineTrouble } from '../../client/before-work.ts';
import { ServerUnavailable } from '../../embedded/server-unavailable.ts';
import { messageOf } from '../../client/problem.ts';

/**
 * The message for an error of this machine, not of our code: its disk, the ledger, the store, the Temporal server.
 * Undefined for every other error.
 */
export function describeTrouble(error: unknown): string | undefined {
  if (!isMachineTrouble(error)) return undefined;
  if (error instanceof ServerUnavailable) return `${error.message} ${error.advice}`;
  if (!isDiskTrouble(error)) return messageOf(error);
  return `Cannot write to disk: ${error.message}. Free some space, or choose another folder for the results with --out, then run the same command again.`;
}
