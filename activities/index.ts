import { ApplicationFailure } from '@temporalio/common';
import type { Activities } from '../contract/activities.ts';
import { awaitAndFetch } from './await-and-fetch.ts';
import { applyControl } from './apply-control.ts';
import type { Dependencies } from './dependencies.ts';
import { withLifeline } from './lifeline.ts';
import { loadBatch, moveAfter } from './load-attempt.ts';
import { reconcile } from './reconcile.ts';
import { submit } from './submit.ts';
import { LedgerMisuse, LedgerUnreachable } from '../ledger/errors.ts';
import { StoreUnwritable } from '../store/errors.ts';

/** All activities, with the world they work on. */
export function createActivities(deps: Dependencies): Activities {
  const { ledger } = deps;
  return tellingFaults(deps, {
    openBatch: async (name) => {
      const { rows, control, settings } = await loadBatch(deps, name);
      const { submits, window } = settings.limits;
      return { rows, control, submits, window };
    },
    claimRows: async (request) => {
      const { control } = await loadBatch(deps, request.batch);
      // What was opened again or refused since is not worth a claim.
      if (control === 'stopping') await ledger.cancelRest(request.batch);
      const { rows, exhausted } = await ledger.claimRows(request);
      const tasks = rows.map(({ row, charges }) => ({
        row: row.row,
        kind: row.kind,
        next: moveAfter(row, row, charges),
      }));
      return { rows: tasks, control, exhausted };
    },
    submit: (key) => withLifeline((signal) => submit(deps, key, signal)),
    reconcile: (key) => withLifeline((signal) => reconcile(deps, key, signal)),
    awaitAndFetch: (request) => withLifeline((signal) => awaitAndFetch(deps, request, signal)),
    applyControl: (batch) => withLifeline((signal) => applyControl(deps, batch, signal)),
    closeBatch: async (name) => {
      const { control } = await loadBatch(deps, name);
      if (control === 'stopping') await ledger.cancelRest(name);
      return { open: await ledger.closeBatch(name), control };
    },
  });
}

/**
 * Lets a fault of this machine (disk full, ledger or store not writable) be told at once: Temporal would retry the activity
 * for ever while the user sees nothing.
 */
function tellingFaults(deps: Dependencies, activities: Activities): Activities {
  const telling = Object.entries(activities).map(([name, activity]) => [
    name,
    async (input: never): Promise<unknown> => {
      try {
        return await (activity as (input: never) => Promise<unknown>)(input);
      } catch (error) {
        if (error instanceof LedgerUnreachable || error instanceof StoreUnwritable) deps.onFault(error);
        // A ledger that is older than the workflow: no retry heals it, but a new workflow goes by the ledger.
        if (error instanceof LedgerMisuse) throw ApplicationFailure.nonRetryable(error.message, error.name);
        throw error;
      }
    },
  ]);
  return Object.fromEntries(telling) as Activities;
}
