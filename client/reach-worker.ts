import { isAnybodyIn } from './anybody-in.ts';
import { openTemporal, type Temporal } from './open-temporal.ts';
import type { Settings } from './settings.ts';

/**
 * Temporal, if somebody may be there to do what is asked: a cluster, or an embedded server with a live member. Otherwise
 * undefined: a wish then goes to the ledger alone, and no server is started for it.
 */
export async function reachWorker(settings: Settings, say: (line: string) => void): Promise<Temporal | undefined> {
  if (settings.cluster === undefined && !isAnybodyIn(settings.home)) return undefined;
  return openTemporal(settings, { say });
}
