import { ActivityFailure, ApplicationFailure, proxyActivities } from '@temporalio/workflow';

interface HangingActivities {
  /** Returns its run number, counted by the server; hangs in a worker that is told to. */
  hang(): Promise<number>;
}

const once = proxyActivities<HangingActivities>({
  startToCloseTimeout: '2 hours',
  heartbeatTimeout: '1 hour',
  retry: { maximumAttempts: 1 },
});
const again = proxyActivities<HangingActivities>({
  startToCloseTimeout: '2 hours',
  heartbeatTimeout: '1 hour',
  retry: { initialInterval: '1 hour' },
});

/** Runs one activity that may run once and one that may be retried, and reports how both ended. */
export async function hangingWorkflow(): Promise<{ readonly once: string; readonly again: number }> {
  const [first, second] = await Promise.all([
    once.hang().then(
      () => 'done',
      (error: unknown) => {
        if (!(error instanceof ActivityFailure) || !(error.cause instanceof ApplicationFailure)) throw error;
        return error.cause.type ?? '';
      },
    ),
    again.hang(),
  ]);
  return { once: first, again: second };
}
