import { setMaxListeners } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import type { LaneOffer, LaneReport } from '../../contract/activities.ts';
import { laneWindow } from '../../policy/lanes/share.ts';
import type { Dependencies } from '../dependencies.ts';
import { loadBatch } from '../cache/batch-cache.ts';
import { RowsBeforeWindow } from './rows-before-window.ts';
import { FairShare } from './fair-share.ts';
import type { LaneContext } from './lane-context.ts';
import { WakeUps } from './wake-ups.ts';
import { Window } from '../pacing/in-flight-limits.ts';
import { ClaimLoop } from './claim-loop.ts';
import { RowsInProgress } from './rows-in-progress.ts';
import { BatchMonitor } from './batch-monitor.ts';

/** Length of a slice, ms. Afterwards another worker, perhaps of another version, can take the lane. */
const SLICE_MS = 600_000;
/** How long an ending lane waits for requests in flight, ms. Most answers arrive in that time. */
const FAREWELL_MS = 1_000;

/**
 * Works on one lane of a batch until nothing is left to do, the slice is over, another has taken the lane, or the
 * signal aborts.
 *
 * It acquires the lane, and with it every row of its earlier holder. Then it claims rows (`claim-loop.ts`) and works on
 * each independently (`work-row.ts`), so a settled row frees its slot at once and a slow one holds nobody up.
 *
 * However the lane ends, it sends nothing more, and its remaining rows are free for the next claim. A request in flight
 * delays nobody: this process still records its answer (`Dependencies.sends`), and the row's next holder waits for
 * that.
 */
export async function runLane(
  shared: Dependencies,
  offer: LaneOffer,
  { signal, beat, workflow }: SliceContext,
): Promise<LaneReport> {
  const { lane: number } = offer;
  const rows = new RowsInProgress();
  const deps: Dependencies = {
    ...shared,
    observe: (event) => {
      const id = 'row' in event && event.batch === offer.batch ? rows.idOf(event.row) : undefined;
      shared.observe(id === undefined ? { lane: number, ...event } : { lane: number, id, ...event });
    },
  };
  const batch = await loadBatch(deps, offer.batch);
  const owned = await deps.ledger.acquireLane({ ...offer, owner: deps.owner });
  const place = workflow === undefined ? {} : { workflowId: workflow.workflowId, runId: workflow.runId };
  deps.observe({ type: 'lane', batch: batch.name, is: 'taken', ...place });
  const over = new AbortController();
  const end = AbortSignal.any([signal, over.signal, AbortSignal.timeout(SLICE_MS)]);
  // Each row in progress may add a listener.
  setMaxListeners(0, end, over.signal);
  const wakeUps = new WakeUps();
  const window = new Window(laneWindow(batch.settings.limits, offer.lanes));
  const monitor = new BatchMonitor(deps, batch, { signal: end, wakeUps });
  const beforeWindow = new RowsBeforeWindow();
  const share = new FairShare(deps, owned);
  const lane: LaneContext = { deps, batch: batch.name, signal: end, wakeUps, window, monitor, beforeWindow, share };
  end.addEventListener('abort', () => {
    window.open();
    monitor.release();
    wakeUps.stop();
  });

  const faults: unknown[] = [];
  const fail = (error: unknown): void => {
    faults.push(error);
    over.abort();
  };
  const listening = monitor.listen(beat).catch(fail);
  let report: LaneReport = { then: 'more' };
  try {
    report = await new ClaimLoop(lane, owned, rows, fail).run();
  } catch (error) {
    fail(error);
  }
  over.abort();
  // Rows see the end at once, except those whose request is in flight.
  await Promise.race([Promise.all([...rows.pending, listening]), sleep(FAREWELL_MS, undefined, { ref: false })]);
  const is = faults.length > 0 ? 'failed' : report.then;
  deps.observe({ type: 'lane', batch: batch.name, is, rows: rows.done, ...place });
  if (faults.length > 0) throw faults[0];
  await deps.ledger.releaseLane(owned);
  return report;
}

/** How long a lane's slice lives, and what offers it. */
export interface SliceContext {
  /** Aborts when the slice has to end. */
  readonly signal: AbortSignal;
  /** Proves that it is alive. */
  readonly beat: () => void;
  /** The run of the workflow that offers the lane. Undefined: none does, as in tests. */
  readonly workflow?: { readonly workflowId: string; readonly runId: string } | undefined;
}
