import { ServerUnavailable } from '../../embedded/server-unavailable.ts';
import { findUp } from '../../embedded/up-claim.ts';
import type { Session } from '../session.ts';
import type { Settings } from '../settings.ts';
import { isAnybodyIn } from '../temporal/anybody-in.ts';
import { openTemporal } from '../temporal/open-temporal.ts';
import { adoptSettings } from './adopt-settings.ts';
import type { SchedulePlace } from './place.ts';

/** Who was there before somebody opened Temporal to look, which starts an embedded server for as long as they do. */
export interface Surroundings {
  readonly isCluster: boolean;
  /** Embedded: nobody was in the home, so nothing fires. */
  readonly isDeserted: boolean;
  /** Embedded: `up` runs in the home. */
  readonly hasUp: boolean;
}

/** Schedules that are open for somebody's commands. */
export interface OpenSchedules extends SchedulePlace {
  readonly settings: Settings;
  readonly around: Surroundings;
}

/**
 * Opens Temporal for work on the schedules of a session's ledger, and closes it afterwards. Starts no worker. Throws {@link VoxbatchError}
 * (`no-ledger`, `no-server`, `no-cluster`, `schedule-silent` …).
 */
export async function withSchedules<T>(
  session: Session,
  say: (line: string) => void,
  work: (schedules: OpenSchedules) => Promise<T>,
): Promise<T> {
  const { settings } = session;
  const ledger = await session.ledger();
  // First: the command joins.
  const around = lookAround(settings);
  const temporal = await openTemporal(settings, { say });
  try {
    await adoptSettings({ temporal, ledger }, say);
    return await work({ temporal, ledger, settings, around });
  } finally {
    await temporal.close();
  }
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
export function isLeftAlone(hasWorker: boolean, { isDeserted }: Surroundings): boolean {
  return isDeserted || !hasWorker;
}
