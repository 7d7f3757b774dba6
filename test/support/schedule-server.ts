import { ScheduleNotFoundError, ScheduleOverlapPolicy, type ScheduleDescription } from '@temporalio/client';
import type { OpenSchedules } from '../../client/schedules/open-schedules.ts';
import { scheduleIdOf } from '../../contract/schedule.ts';
import type { Ledger } from '../../ledger/ledger.ts';

const SECOND_MS = 1_000;

/** What a pretended Temporal server has. */
export interface PretendedSchedules {
  /** Whole seconds at which each schedule was due, and fired; all firings are over. */
  readonly due?: readonly number[];
  /** How a firing ended. Default `FAILED`. */
  readonly firing?: string;
  readonly state?: Partial<ScheduleDescription['state']>;
  /** Names of the schedules that it lists. */
  readonly listed?: readonly string[];
  /** Names of those that it does not know any more. */
  readonly gone?: readonly string[];
}

/** Schedules of a ledger on a Temporal server that is made up. */
export function pretendSchedules(
  ledger: Ledger,
  { due = [], firing = 'FAILED', state, listed = [], gone = [] }: PretendedSchedules,
): OpenSchedules {
  const found = {
    policies: { overlap: ScheduleOverlapPolicy.SKIP },
    state: { paused: false, ...state },
    action: { args: [] },
    info: { createdAt: new Date(0), nextActionTimes: [], recentActions: [] },
  };
  const startTime = due.map((at) => ({ seconds: at / SECOND_MS, nanos: 0 }));
  const describe = async (id: string): Promise<object> => {
    if (gone.some((name) => scheduleIdOf(ledger.id, name) === id)) throw new ScheduleNotFoundError('not found', id);
    return found;
  };
  const client = {
    schedule: {
      getHandle: (id: string) => ({ describe: async () => describe(id) }),
      list: async function* () {
        for (const name of listed) yield { scheduleId: scheduleIdOf(ledger.id, name) };
        yield { scheduleId: scheduleIdOf('another ledger', 'foreign') };
      },
    },
    workflow: { getHandle: () => ({ describe: async () => ({ status: { name: firing } }) }) },
    workflowService: { listScheduleMatchingTimes: async () => ({ startTime }) },
    withDeadline: async (_: number, ask: () => Promise<unknown>) => ask(),
  };
  const around = { isCluster: false, isDeserted: false, hasUp: false };
  return { temporal: { client, namespace: 'default' }, ledger, around } as unknown as OpenSchedules;
}
