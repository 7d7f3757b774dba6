import { setMaxListeners } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import type { LaneOffer, LaneReport } from '../../contract/activities.ts';
import { laneWindow } from '../../policy/lanes/lane-share.ts';
import type { Dependencies } from '../dependencies.ts';
import { loadBatch } from '../cache/batch-cache.ts';
import { RowsBeforeWindow } from './rows-before-window.ts';
import { FairShare } from './lane-share.ts';
import type { LaneContext } from './lane-context.ts';
import { WakeUps } from './wake-ups.ts';
import { Window } from '../pacing/in-flight-limits.ts';
import { ClaimLoop } from './claim-loop.ts';
import { RowsInProgress } from './rows-in-progress.ts';
import { BatchMonitor } from './batch-monitor.ts';

/** Length of a slice, ms. After a slice another worker, perhaps of another version, can take the lane. */
const SLICE_MS = 600_000;
/** How long an ending slice waits for requests in flight, ms. Most answers arrive in that time. */
const LAST_WAIT_MS = 1_000;

/**
 * Works on one lane of a batch for one slice: until no work is left, ten minutes are over, another worker has taken the
 * lane, or the signal aborts. A lane is a share of a batch's rows in flight; a slice is one run of the `workLane`
 * activity.
 *
 * It acquires the lane, and with it every row of the lane's earlier holder. Then it claims rows (`claim-loop.ts`) and
 * works on each independently (`work-row.ts`), so a settled row frees its slot at once, and a slow row delays no other.
 *
 * However the slice ends, it sends nothing more, and its remaining rows are free for the next claim. It does not wait
 * for requests in flight: this process still records their answers (`Dependencies.sends`), and the next holder of such
 * a row waits for that.
 *
 * Returns whether the lane should be offered again (`more`) or has nothing to do (`idle`). Rejects if the ledger or the
 * store is unreachable.
 */
export async function runLane(
  processDeps: Dependencies,
  offer: LaneOffer,
  { signal, beat, workflow }: SliceContext,
): Promise<LaneReport> {
  const { lane: number } = offer;
  const rows = new RowsInProgress();
  const deps: Dependencies = {
    ...processDeps,
    observe: (event) => {
      const id = 'row' in event && event.batch === offer.batch ? rows.idOf(event.row) : undefined;
      processDeps.observe(id === undefined ? { lane: number, ...event } : { lane: number, id, ...event });
    },
  };
  const batch = await loadBatch(deps, offer.batch);
  const owned = await deps.ledger.acquireLane({ ...offer, owner: deps.owner });
  const place = workflow === undefined ? {} : { workflowId: workflow.workflowId, runId: workflow.runId };
  deps.observe({ type: 'lane', batch: batch.name, is: 'taken', ...place });
  const over = new AbortController();
  const end = AbortSignal.any([signal, over.signal, AbortSignal.timeout(SLICE_MS)]);
  // Each row in progress may add a listener, and Node would warn of a leak.
  setMaxListeners(0, end, over.signal);
  const wakeUps = new WakeUps();
  const window = new Window(laneWindow(batch.settings.limits, offer.lanes));
  const monitor = new BatchMonitor(deps, batch, { signal: end, wakeUps });
  const beforeWindow = new RowsBeforeWindow();
  const share = new FairShare(deps, owned);
  const lane: LaneContext = { deps, batch: batch.name, signal: end, wakeUps, window, monitor, beforeWindow, share };
  // Wakes all waiting rows, so that they see the end.
  end.addEventListener('abort', () => {
    window.open();
    monitor.wakeParked();
    wakeUps.stop();
  });

  const faults: unknown[] = [];
  const fail = (error: unknown): void => {
    faults.push(error);
    over.abort();
  };
  const monitoring = monitor.run(beat).catch(fail);
  let report: LaneReport = { then: 'more' };
  try {
    report = await new ClaimLoop(lane, owned, rows, fail).run();
  } catch (error) {
    fail(error);
  }
  over.abort();
  // The work on rows ends at once, except where a request is in flight.
  await Promise.race([Promise.all([...rows.pending, monitoring]), sleep(LAST_WAIT_MS, undefined, { ref: false })]);
  const is = faults.length > 0 ? 'failed' : report.then;
  deps.observe({ type: 'lane', batch: batch.name, is, rows: rows.done, ...place });
  if (faults.length > 0) throw faults[0];
  await deps.ledger.releaseLane(owned);
  return report;
}

/** The activity that runs a slice. */
export interface SliceContext {
  /** Aborts when the slice has to end. */
  readonly signal: AbortSignal;
  /** Sends the activity's heartbeat. */
  readonly beat: () => void;
  /** The run of the workflow that offers the lane; undefined in tests without a workflow. */
  readonly workflow?: { readonly workflowId: string; readonly runId: string } | undefined;
}
