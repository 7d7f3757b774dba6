import { setMaxListeners } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { dutyOfLane } from '../../contract/worker-duty.ts';
import type { BatchLimits } from '../../contract/tunables.ts';
import type { LaneOffer, LaneReport } from '../../contract/activities.ts';
import type { LaneOwnership } from '../../ledger/lanes/lanes.ts';
import { claimSize, givesWay, windowOf, type OwnedLane } from '../../policy/lanes/share.ts';
import type { Dependencies } from '../dependencies.ts';
import { loadBatch } from '../cache/batch-cache.ts';
import { isWorkSplit, peersOf } from './peers.ts';
import { workRow } from './work-row.ts';
import { Ahead } from './ahead.ts';
import { FairShare } from './fair-share.ts';
import type { LaneWork } from './lane-work.ts';
import { WakeUps } from './wake-ups.ts';
import { Window } from '../pacing/in-flight-limits.ts';
import { pause, Steering } from './steering.ts';
import { VoiceLooks } from './voice-looks.ts';

/** Length of a slice, ms. Afterwards another worker, perhaps of another version, can take the lane. */
const SLICE_MS = 600_000;
/** How long an ending lane waits for requests in flight, ms. Most answers arrive in that time. */
const FAREWELL_MS = 1_000;
/** How often a lane checks whether it should claim, ms. */
const CLAIM_TICK_MS = 20;
/** How long an idle lane stays, ms. Rows may reopen, or be released by another lane. A resume starts a new lane. */
const LINGER_MS = { running: 5_000, paused: 500, stopping: 5_000 } as const;
/** The same beside other lanes, ms. Theirs may take long, and each new offer adds to the history. */
const LINGER_BESIDE_OTHERS_MS = 60_000;

/**
 * Works on one lane of a batch until nothing is left to do, the slice is over, another has taken the lane, or the
 * signal aborts.
 *
 * It acquires the lane (and with it every row of its earlier holder), then claims rows ahead of the window and works on
 * each independently (`work-row.ts`). It claims more when fewer rows are queued than one claim brings, so a settled row
 * frees its slot at once and a slow one holds nobody up. Rows with running jobs need no slot, and are claimed even
 * while the batch is paused.
 *
 * Rows whose voice is not ready are not free, so no claim returns them. While there are any, the lane stays and checks
 * from time to time whether voices are still in training (`voice-looks.ts`).
 *
 * However the lane ends, it sends nothing more, and its remaining rows are free for the next claim. A request in flight
 * delays nobody: this process still records its answer (`Dependencies.sends`), and the row's next holder waits for
 * that.
 */
export async function runLane(
  shared: Dependencies,
  offer: LaneOffer,
  signal: AbortSignal,
  beat: () => void,
): Promise<LaneReport> {
  const deps: Dependencies = {
    ...shared,
    observe: (event) => {
      shared.observe({ lane: offer.lane, ...event });
    },
  };
  const batch = await loadBatch(deps, offer.batch);
  const owned = await deps.ledger.acquireLane({ ...offer, owner: deps.owner });
  deps.observe({ type: 'lane', batch: batch.name, is: 'taken' });
  const over = new AbortController();
  const end = AbortSignal.any([signal, over.signal, AbortSignal.timeout(SLICE_MS)]);
  // Each row in progress may add a listener.
  setMaxListeners(0, end, over.signal);
  const wakeUps = new WakeUps();
  const window = new Window(windowOf(batch.settings.limits, offer.lanes));
  const steering = new Steering(deps, batch, { signal: end, wakeUps });
  const ahead = new Ahead();
  const share = new FairShare(deps, owned);
  const lane: LaneWork = { deps, batch: batch.name, signal: end, wakeUps, window, steering, ahead, share };
  end.addEventListener('abort', () => {
    window.open();
    steering.release();
    wakeUps.stop();
  });

  const rows = new RowsAtWork();
  const faults: unknown[] = [];
  const fail = (error: unknown): void => {
    faults.push(error);
    over.abort();
  };
  const listening = steering.listen(beat).catch(fail);
  let report: LaneReport = { then: 'more' };
  try {
    report = await claimLoop(lane, owned, rows, fail);
  } catch (error) {
    fail(error);
  }
  over.abort();
  // Rows see the end at once, except those whose request is in flight.
  await Promise.race([Promise.all([...rows.all, listening]), sleep(FAREWELL_MS, undefined, { ref: false })]);
  deps.observe({ type: 'lane', batch: batch.name, is: faults.length > 0 ? 'failed' : report.then, rows: rows.done });
  if (faults.length > 0) throw faults[0];
  await deps.ledger.releaseLane(owned);
  return report;
}

/** The rows of a slice that are worked on. */
class RowsAtWork {
  readonly all = new Set<Promise<void>>();
  /** Those whose work was over before the slice was; the others go on in another one. */
  done = 0;

  add(work: Promise<void>, slice: AbortSignal): void {
    const watched = work.finally(() => {
      this.all.delete(watched);
      if (!slice.aborted) this.done += 1;
    });
    this.all.add(watched);
  }
}

async function claimLoop(
  lane: LaneWork,
  owned: LaneOwnership,
  rows: RowsAtWork,
  fail: (error: unknown) => void,
): Promise<LaneReport> {
  const { deps, signal, window, steering, ahead, share } = lane;
  let exhausted = false;
  let isShareFull = false;
  let isSplit = false;
  let room = Infinity;
  let lanes = 1;
  let askAt = 0;
  let idleSince: number | undefined;
  let blocked = 0;
  const looks = new VoiceLooks(deps, signal);
  while (!signal.aborted) {
    const { control, settings } = steering.batch;
    const isDue = performance.now() >= askAt;
    if (isDue) {
      // Workers come and go: each lane's share follows.
      const all = await deps.ledger.laneOwners(owned.batch);
      const taken = all.filter((one) => dutyOfLane(one.lane) === dutyOfLane(owned.lane));
      lanes = Math.max(1, taken.length);
      isSplit = isWorkSplit(deps.only, all);
      if (await isWantedElsewhere(deps, owned, taken)) return { then: 'more' };
      await share.look();
      const { leaving } = window;
      room = deps.only === undefined ? Infinity : await roomToSend(deps, owned.batch, settings.limits);
      window.letLeave(leaving);
    }
    const size = room === 0 ? 0 : windowOf({ window: Math.min(settings.limits.window, room) }, lanes);
    window.resize(size);
    const mayBegin = control === 'running' && room > 0 && (!(exhausted || isShareFull) || isDue);
    const queued = window.queued + ahead.count;
    const limit = mayBegin ? claimSize(size, queued + ahead.short) : 0;
    if (limit > 0 || isDue) {
      // Rows waiting for budget room may depend on rows already begun, so those must stay claimable.
      const begun = mayBegin ? claimSize(size, queued) : 0;
      const claim = await deps.ledger.claimRows({ ...owned, limit, begun, workers: share.workers, only: deps.only });
      if (claim === 'lost') return { then: 'more' };
      ({ exhausted, isShareFull, blocked } = claim);
      if (exhausted && isDue) await share.handBack(queued + deps.inFlightLimits.queued(owned.batch));
      if (blocked > 0 && isDue && deps.only !== 'download') looks.begin(owned.batch);
      if (claim.rows.length > 0)
        deps.observe({ type: 'lane', batch: owned.batch, is: 'claimed', rows: claim.rows.length });
      for (const row of claim.rows) rows.add(workRow(lane, row).catch(fail), signal);
      askAt = performance.now() + deps.askEveryMs;
      if (claim.rows.length > 0) idleSince = undefined;
      const mayClaimMore = limit > 0 || deps.only === 'download';
      if (claim.rows.length > 0 && !exhausted && !isShareFull && mayClaimMore) continue;
    }
    const active = rows.all.size - steering.parked - window.queued;
    if (active > 0 || (control === 'running' && (!exhausted || blocked > 0))) idleSince = undefined;
    else if (idleSince === undefined || isDue) {
      const open = await openRowsOf(deps, owned.batch);
      if (rows.all.size === 0 && open.all === 0) return { then: 'idle' };
      idleSince ??= performance.now();
      // Rows come from the lanes that do the other part, at any time.
      const mustStay = isSplit && (control === 'paused' ? open.begun : open.all) > 0;
      if (mustStay) idleSince = performance.now();
      const lingerMs = control === 'running' && lanes > 1 ? LINGER_BESIDE_OTHERS_MS : LINGER_MS[control];
      if (performance.now() - idleSince >= lingerMs) return { then: 'idle' };
    }
    await pause(CLAIM_TICK_MS, signal);
  }
  return { then: 'more' };
}

/**
 * True if this process has several lanes of the batch, for example one taken over from a dead worker, and another
 * worker has none: that worker should get this lane.
 */
async function isWantedElsewhere(
  deps: Dependencies,
  { lane }: LaneOwnership,
  taken: readonly OwnedLane[],
): Promise<boolean> {
  const { owner } = deps;
  if (taken.filter((one) => one.owner === owner).length < 2) return false;
  return givesWay({ lane, owner }, await peersOf(deps, lane), taken);
}

/** Open rows of a batch, and those of them that have begun. */
async function openRowsOf(
  { ledger }: Dependencies,
  batch: string,
): Promise<{ readonly all: number; readonly begun: number }> {
  const { states } = await ledger.counts(batch);
  const all = Object.values(states).reduce((sum, rows) => sum + rows, 0);
  return { all, begun: all - states.waiting - states.blocked };
}

/**
 * How many rows may be in flight in lanes that leave the downloads to others: rows whose result is still to be fetched
 * count as in flight. None while nobody downloads: what is paid for would only pile up.
 */
async function roomToSend(
  { ledger, realm, only }: Dependencies,
  batch: string,
  { window }: Pick<BatchLimits, 'window'>,
): Promise<number> {
  if (only === 'download') return 0;
  if ((await ledger.livingWorkers(realm.apiUrl, realm.account, 'download')).length === 0) return 0;
  const { states } = await ledger.counts(batch);
  return Math.max(0, window - states.fetching);
}
