import { isAnybodyIn } from './anybody-in.ts';
import { openTemporal, type Temporal } from './open-temporal.ts';
import type { Settings } from '../settings.ts';

/**
 * Temporal, if a worker may be there to act on a wish: a cluster, or an embedded server with a live member. Otherwise
 * undefined: the wish then goes only to the ledger, and no server is started for it. The wish holds without Temporal, so
 * a cluster that cannot be reached now is not waited for.
 */
export async function reachWorker(settings: Settings, say: (line: string) => void): Promise<Temporal | undefined> {
  if (settings.cluster === undefined && !isAnybodyIn(settings.home)) return undefined;
  return openTemporal(settings, { say, isUrgent: true });
}
