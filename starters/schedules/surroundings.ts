import { isAnybodyIn } from '../../client/temporal/anybody-in.ts';
import type { Settings } from '../../client/settings.ts';
import { ServerUnavailable } from '../../embedded/server-unavailable.ts';
import { findUp } from '../../embedded/up-claim.ts';

/** Who was there before a command on schedules opened Temporal, which starts an embedded server for as long as it looks. */
export interface Surroundings {
  readonly isCluster: boolean;
  /** Embedded: nobody was in the home, so nothing fires. */
  readonly isDeserted: boolean;
  /** Embedded: `up` runs in the home. */
  readonly hasUp: boolean;
}

/** Looks around. Starts nothing. */
export function lookAround({ home, cluster }: Pick<Settings, 'home' | 'cluster'>): Surroundings {
  if (cluster !== undefined) return { isCluster: true, isDeserted: false, hasUp: false };
  try {
    return { isCluster: false, isDeserted: !isAnybodyIn(home), hasUp: findUp(home).type !== 'none' };
  } catch (error) {
    // Its locks cannot be read: whoever opens the server says why.
    if (!(error instanceof ServerUnavailable)) throw error;
    return { isCluster: false, isDeserted: false, hasUp: false };
  }
}

/** True if nobody makes batches of what a schedule fires. A worker that was killed seems to live for some seconds. */
export function isLeftAlone({ hasWorker }: { readonly hasWorker: boolean }, { isDeserted }: Surroundings): boolean {
  return isDeserted || !hasWorker;
}

/** That nobody is there to fire these schedules, and the command that mends it. */
export function nobodyFires(schedules: readonly string[], { isCluster, isDeserted, hasUp }: Surroundings): string {
  const names = schedules.map((name) => `"${name}"`).join(', ');
  if (isDeserted) {
    return (
      `Nobody is there to fire ${names}: neither a server nor a worker runs here. Start both, and keep them running: voxbatch up ` +
      '(as a service: voxbatch up --print-unit systemd)'
    );
  }
  const command = isCluster || hasUp ? 'voxbatch worker' : 'voxbatch up';
  return (
    `No worker for the account of ${names} is there: what fires waits for one. ` +
    `Start one with the token of that account, and keep it running: ${command}`
  );
}
