import { asyncLocalStorage, Context } from '@temporalio/activity';
import { ApplicationFailure } from '@temporalio/common';
import type { Activities } from '../contract/activities.ts';
import { LedgerMisuse, LedgerUnreachable } from '../ledger/errors.ts';
import { StoreUnwritable } from '../store/errors.ts';
import type { Dependencies } from './dependencies.ts';
import { withHeartbeat } from './heartbeat.ts';
import { surveyBatch } from './survey-batch.ts';
import { workLane } from './work-lane.ts';

/** How often a survey beats, ms. A lane beats whenever it looks into the ledger. */
const BEAT_EVERY_MS = 2_000;

/** All activities, with the world they work on. */
export function createActivities(deps: Dependencies): Activities {
  return {
    surveyBatch: (batch) =>
      tellingFaults(deps, () =>
        withHeartbeat(async (_, beat) => {
          leaveContexts(deps);
          // A look may take long; that nobody else can take it over meanwhile would be worse.
          const beating = setInterval(beat, BEAT_EVERY_MS);
          try {
            return await surveyBatch(deps, batch);
          } finally {
            clearInterval(beating);
          }
        }),
      ),
    workLane: (offer) =>
      tellingFaults(deps, () =>
        withHeartbeat((signal, beat) => {
          const { attempt } = Context.current().info;
          leaveContexts(deps);
          return workLane(deps, offer, { signal, beat, attempt });
        }),
      ),
  };
}

/** Switches off the storages of Temporal's SDK, also that of an activity's own context. See {@link Dependencies.leaveContext}. */
function leaveContexts(deps: Pick<Dependencies, 'leaveContext'>): void {
  asyncLocalStorage.disable();
  deps.leaveContext();
}

/**
 * Lets a fault of this machine (disk full, ledger or store not writable) be told at once: Temporal would retry the activity
 * for ever while the user sees nothing.
 */
async function tellingFaults<T>(deps: Pick<Dependencies, 'onFault'>, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof LedgerUnreachable || error instanceof StoreUnwritable) deps.onFault(error);
    // A ledger that knows nothing of what is asked: no retry heals it, but a new workflow goes by the ledger.
    if (error instanceof LedgerMisuse) throw ApplicationFailure.nonRetryable(error.message, error.name);
    throw error;
  }
}
