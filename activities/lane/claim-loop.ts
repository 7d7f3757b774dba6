import { dutyOfLane } from '../../contract/worker-duty.ts';
import type { BatchLimits } from '../../contract/tunables.ts';
import type { LaneReport } from '../../contract/activities.ts';
import type { LaneOwnership } from '../../ledger/lanes/lanes.ts';
import { claimSize, shouldYieldLane, laneWindow, type OwnedLane } from '../../policy/lanes/lane-share.ts';
import type { Dependencies } from '../dependencies.ts';
import type { LaneContext } from './lane-context.ts';
import { areDutiesSplit, eligibleWorkers } from './eligible-workers.ts';
import type { RowsInProgress } from './rows-in-progress.ts';
import { pause } from './batch-monitor.ts';
import { VoicePolls } from './voice-polls.ts';
import { workRow } from './work-row.ts';

/** How often a lane checks whether it should claim, ms. */
const CLAIM_TICK_MS = 20;
/**
 * How long an idle lane waits before it ends, by the control state of its batch, ms. Meanwhile rows may reopen, or be
 * handed over by another lane. After a pause it ends soon, because a resume starts a new lane.
 */
const IDLE_TIMEOUT_MS = { running: 5_000, paused: 500, stopping: 5_000 } as const;
/**
 * The same while other lanes of the batch work, ms. Longer, because the batch workflow offers an ended lane again,
 * which adds to its history, and the other lanes may work for long.
 */
const IDLE_TIMEOUT_BESIDE_OTHERS_MS = 60_000;

/**
 * Claims rows for a lane, and starts the work on each (`work-row.ts`). A lane is worked on in slices: activities of
 * some minutes, which each run one claim loop (`run-lane.ts`).
 *
 * At every tick it claims if fewer rows are queued before the window (the lane's rows in flight) than one claim
 * returns. Every `askEveryMs` it makes a full check: it counts the lanes of the batch, sizes its share of the window,
 * and claims rows whose jobs run, which need no slot and are claimed even while the batch is paused.
 *
 * It ends with `more` if the lane is lost, its slice is over, or a worker without a lane should have it; with `idle` if
 * no row is open, or none has been in progress for a while. Rows whose voice is not ready are never claimed: while
 * there are any, the lane stays, and polls whether the voices are still in training (`voice-polls.ts`).
 */
export class ClaimLoop {
  readonly #lane: LaneContext;
  readonly #owned: LaneOwnership;
  readonly #rows: RowsInProgress;
  readonly #fail: (error: unknown) => void;
  readonly #voicePolls: VoicePolls;
  /** Number of lanes of the batch with the same duty as this one, itself included. */
  #lanes = 1;
  /** True if some lanes of the batch only send, and others only download. */
  #isSplit = false;
  /** How many rows may be in flight in lanes that leave the downloads to others. */
  #room = Infinity;
  /** When the next full check is due, monotonic ms. */
  #nextCheckAt = 0;
  /**
   * The last claim: whether no free row was left, whether this lane has its share, and how many rows wait for a voice.
   */
  #last = { exhausted: false, isShareFull: false, blocked: 0 };
  /** Since when no row has been in progress, monotonic ms; undefined while one is. */
  #idleSince: number | undefined;

  /** `rows`: receives the rows that the lane works on. `fail`: ends the lane if the work on a row throws. */
  constructor(lane: LaneContext, owned: LaneOwnership, rows: RowsInProgress, fail: (error: unknown) => void) {
    this.#lane = lane;
    this.#owned = owned;
    this.#rows = rows;
    this.#fail = fail;
    this.#voicePolls = new VoicePolls(lane.deps, lane.signal);
  }

  /** Claims until the lane ends. Rejects if the ledger cannot be read or written. */
  async run(): Promise<LaneReport> {
    const { signal } = this.#lane;
    while (!signal.aborted) {
      const isCheckDue = performance.now() >= this.#nextCheckAt;
      if (isCheckDue && (await this.#isWantedElsewhere())) return { then: 'more' };
      const claimed = await this.#claim(isCheckDue);
      if (claimed === 'lost') return { then: 'more' };
      if (claimed === 'more') continue;
      if (await this.#isIdle(isCheckDue)) return { then: 'idle' };
      await pause(CLAIM_TICK_MS, signal);
    }
    return { then: 'more' };
  }

  /** Adjusts the lane's share to the workers that are alive. Returns true if another worker should have this lane. */
  async #isWantedElsewhere(): Promise<boolean> {
    const { deps, monitor, share, window } = this.#lane;
    const { batch } = this.#owned;
    const all = await deps.ledger.laneOwners(batch);
    const alike = all.filter((one) => dutyOfLane(one.lane) === dutyOfLane(this.#owned.lane));
    this.#lanes = Math.max(1, alike.length);
    this.#isSplit = areDutiesSplit(deps.only, all);
    if (await shouldGiveUp(deps, this.#owned, alike)) return true;
    await share.countWorkers();
    // Rows handed over to a downloader keep their slots until `roomToSend` has counted them. `leaving` is read before
    // that, because rows handed over meanwhile may be missing from the count.
    const { leaving } = window;
    this.#room = deps.only === undefined ? Infinity : await roomToSend(deps, batch, monitor.batch.settings.limits);
    window.letLeave(leaving);
    return false;
  }

  /** Claims as many rows as there is room for. `lost`: another worker has the lane. `more`: claim again at once. */
  async #claim(isCheckDue: boolean): Promise<'lost' | 'more' | 'enough'> {
    const { deps, signal, window, monitor, beforeWindow, share } = this.#lane;
    const { batch } = this.#owned;
    const { control, settings } = monitor.batch;
    const room = this.#room;
    const size = room === 0 ? 0 : laneWindow({ window: Math.min(settings.limits.window, room) }, this.#lanes);
    window.resize(size);
    const isFull = this.#last.exhausted || this.#last.isShareFull;
    const mayBegin = control === 'running' && room > 0 && (!isFull || isCheckDue);
    const queued = window.queued + beforeWindow.count;
    // Rows that wait for budget room hold up new rows, which would need room, too.
    const limit = mayBegin ? claimSize(size, queued + beforeWindow.short) : 0;
    if (limit === 0 && !isCheckDue) return 'enough';
    // They do not hold up rows with reserved budget, because room may come free only when such rows end.
    const maxReserved = mayBegin ? claimSize(size, queued) : 0;
    const claim = await deps.ledger.claimRows({
      ...this.#owned,
      limit,
      maxReserved,
      workers: share.workers,
      only: deps.only,
    });
    if (claim === 'lost') return 'lost';
    const { exhausted, isShareFull, blocked, rows } = claim;
    this.#last = { exhausted, isShareFull, blocked };
    // Unsent rows wait before the window, or inside it for a slot among the batch's paid requests.
    if (exhausted && isCheckDue) await share.handBack(queued + deps.inFlightLimits.queued(batch));
    if (blocked > 0 && isCheckDue && deps.only !== 'download') this.#voicePolls.start(batch);
    if (rows.length > 0) deps.observe({ type: 'lane', batch, is: 'claimed', rows: rows.length });
    for (const row of rows) this.#rows.add(row.row, () => workRow(this.#lane, row).catch(this.#fail), signal);
    this.#nextCheckAt = performance.now() + deps.askEveryMs;
    if (rows.length === 0) return 'enough';
    this.#idleSince = undefined;
    const mayClaimMore = limit > 0 || deps.only === 'download';
    return !exhausted && !isShareFull && mayClaimMore ? 'more' : 'enough';
  }

  /** Returns whether no row is open, or none has been in progress for the idle timeout. */
  async #isIdle(isCheckDue: boolean): Promise<boolean> {
    const { deps, window, monitor } = this.#lane;
    const { control } = monitor.batch;
    const { exhausted, blocked } = this.#last;
    // Neither rows parked until the batch runs nor rows queued before the window are in progress.
    const active = this.#rows.pending.size - monitor.parked - window.queued;
    if (active > 0 || (control === 'running' && (!exhausted || blocked > 0))) {
      this.#idleSince = undefined;
      return false;
    }
    if (this.#idleSince !== undefined && !isCheckDue) return false;
    const open = await openRowsOf(deps, this.#owned.batch);
    if (this.#rows.pending.size === 0 && open.all === 0) return true;
    const now = performance.now();
    this.#idleSince ??= now;
    // Lanes of the other duty may hand rows over at any time.
    const mustStay = this.#isSplit && (control === 'paused' ? open.begun : open.all) > 0;
    if (mustStay) this.#idleSince = now;
    const hasOthers = control === 'running' && this.#lanes > 1;
    return now - this.#idleSince >= (hasOthers ? IDLE_TIMEOUT_BESIDE_OTHERS_MS : IDLE_TIMEOUT_MS[control]);
  }
}

/**
 * Returns true if this process should give up this lane: it has several lanes of the batch, for example one taken over
 * from a dead worker, and another worker has none.
 */
async function shouldGiveUp(
  deps: Dependencies,
  { lane }: LaneOwnership,
  taken: readonly OwnedLane[],
): Promise<boolean> {
  const { owner } = deps;
  if (taken.filter((one) => one.owner === owner).length < 2) return false;
  return shouldYieldLane({ lane, owner }, await eligibleWorkers(deps, lane), taken);
}

/** Counts the open rows of a batch, and those of them that have begun. */
async function openRowsOf(
  { ledger }: Dependencies,
  batch: string,
): Promise<{ readonly all: number; readonly begun: number }> {
  const { states } = await ledger.counts(batch);
  const all = Object.values(states).reduce((sum, rows) => sum + rows, 0);
  return { all, begun: all - states.waiting - states.blocked };
}

/**
 * Returns how many rows may be in flight in lanes that leave the downloads to other workers. Rows whose result is still
 * to be downloaded count against the window. Returns 0 if no downloader is alive: paid results would only accumulate.
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
