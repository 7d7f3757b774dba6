import { dutyOfLane } from '../../contract/worker-duty.ts';
import type { BatchLimits } from '../../contract/tunables.ts';
import type { LaneReport } from '../../contract/activities.ts';
import type { LaneOwnership } from '../../ledger/lanes/lanes.ts';
import { claimSize, shouldYieldLane, laneWindow, type OwnedLane } from '../../policy/lanes/share.ts';
import type { Dependencies } from '../dependencies.ts';
import type { LaneContext } from './lane-context.ts';
import { areDutiesSplit, eligibleWorkers } from './eligible-workers.ts';
import type { RowsInProgress } from './rows-in-progress.ts';
import { pause } from './batch-monitor.ts';
import { VoicePolls } from './voice-polls.ts';
import { workRow } from './work-row.ts';

/** How often a lane checks whether it should claim, ms. */
const CLAIM_TICK_MS = 20;
/** How long an idle lane stays, ms. Rows may reopen, or be handed over by another lane. A resume starts a new lane. */
const LINGER_MS = { running: 5_000, paused: 500, stopping: 5_000 } as const;
/** The same beside other lanes, ms. Theirs may take long, and each new offer adds to the history. */
const LINGER_BESIDE_OTHERS_MS = 60_000;

/**
 * Claims rows for a lane, ahead of its window, and begins work on each.
 *
 * Every tick it claims if fewer rows are queued than one claim brings. Every `askEveryMs` a look is due: it then also
 * counts the lanes beside it, sizes its share of the window, and claims rows whose jobs run, which need no slot and are
 * claimed even while the batch is paused.
 *
 * It ends `more` once the lane is lost, is wanted by a worker that has none, or its slice is over; `idle` once no row
 * is open, or none has been in work for a while. Rows whose voice is not ready are not free, so no claim returns them:
 * while there are any, it stays, and looks from time to time whether voices are still in training (`voice-polls.ts`).
 */
export class ClaimLoop {
  readonly #lane: LaneContext;
  readonly #owned: LaneOwnership;
  readonly #rows: RowsInProgress;
  readonly #fail: (error: unknown) => void;
  readonly #voicePolls: VoicePolls;
  /** Lanes of the batch that do what this one does, itself included. */
  #lanes = 1;
  /** Some lanes only send, and others only download. */
  #isSplit = false;
  /** How many rows may be in flight beside those that wait for a downloader. */
  #room = Infinity;
  /** When the next look is due, by the monotonic clock, ms. */
  #nextLookAt = 0;
  /** What the last claim said: no free row was left; this lane has its share of what is free; rows wait for a voice. */
  #last = { exhausted: false, isShareFull: false, blocked: 0 };
  /** Since when no row has been in work, by the monotonic clock, ms. */
  #idleSince: number | undefined;

  constructor(lane: LaneContext, owned: LaneOwnership, rows: RowsInProgress, fail: (error: unknown) => void) {
    this.#lane = lane;
    this.#owned = owned;
    this.#rows = rows;
    this.#fail = fail;
    this.#voicePolls = new VoicePolls(lane.deps, lane.signal);
  }

  async run(): Promise<LaneReport> {
    const { signal } = this.#lane;
    while (!signal.aborted) {
      const isDue = performance.now() >= this.#nextLookAt;
      if (isDue && (await this.#isWantedElsewhere())) return { then: 'more' };
      const claimed = await this.#claim(isDue);
      if (claimed === 'lost') return { then: 'more' };
      if (claimed === 'more') continue;
      if (await this.#isIdle(isDue)) return { then: 'idle' };
      await pause(CLAIM_TICK_MS, signal);
    }
    return { then: 'more' };
  }

  /** Workers come and go: the lane's share follows, or the lane goes to a worker without one. */
  async #isWantedElsewhere(): Promise<boolean> {
    const { deps, monitor, share, window } = this.#lane;
    const { batch } = this.#owned;
    const all = await deps.ledger.laneOwners(batch);
    const alike = all.filter((one) => dutyOfLane(one.lane) === dutyOfLane(this.#owned.lane));
    this.#lanes = Math.max(1, alike.length);
    this.#isSplit = areDutiesSplit(deps.only, all);
    if (await isWantedBy(deps, this.#owned, alike)) return true;
    await share.look();
    const { leaving } = window;
    this.#room = deps.only === undefined ? Infinity : await roomToSend(deps, batch, monitor.batch.settings.limits);
    window.letLeave(leaving);
    return false;
  }

  /** Claims what there is room for. `more`: there may be more to claim at once. */
  async #claim(isDue: boolean): Promise<'lost' | 'more' | 'enough'> {
    const { deps, signal, window, monitor, beforeWindow, share } = this.#lane;
    const { batch } = this.#owned;
    const { control, settings } = monitor.batch;
    const room = this.#room;
    const size = room === 0 ? 0 : laneWindow({ window: Math.min(settings.limits.window, room) }, this.#lanes);
    window.resize(size);
    const isFull = this.#last.exhausted || this.#last.isShareFull;
    const mayBegin = control === 'running' && room > 0 && (!isFull || isDue);
    const queued = window.queued + beforeWindow.count;
    const limit = mayBegin ? claimSize(size, queued + beforeWindow.short) : 0;
    if (limit === 0 && !isDue) return 'enough';
    // Rows waiting for budget room may depend on rows already begun, so those must stay claimable.
    const begun = mayBegin ? claimSize(size, queued) : 0;
    const claim = await deps.ledger.claimRows({
      ...this.#owned,
      ...{ limit, begun, workers: share.workers, only: deps.only },
    });
    if (claim === 'lost') return 'lost';
    const { exhausted, isShareFull, blocked, rows } = claim;
    this.#last = { exhausted, isShareFull, blocked };
    if (exhausted && isDue) await share.handBack(queued + deps.inFlightLimits.queued(batch));
    if (blocked > 0 && isDue && deps.only !== 'download') this.#voicePolls.begin(batch);
    if (rows.length > 0) deps.observe({ type: 'lane', batch, is: 'claimed', rows: rows.length });
    for (const row of rows) this.#rows.add(row.row, () => workRow(this.#lane, row).catch(this.#fail), signal);
    this.#nextLookAt = performance.now() + deps.askEveryMs;
    if (rows.length === 0) return 'enough';
    this.#idleSince = undefined;
    const mayClaimMore = limit > 0 || deps.only === 'download';
    return !exhausted && !isShareFull && mayClaimMore ? 'more' : 'enough';
  }

  /** Whether nothing is left to do, or nothing has been for as long as an idle lane stays. */
  async #isIdle(isDue: boolean): Promise<boolean> {
    const { deps, window, monitor } = this.#lane;
    const { control } = monitor.batch;
    const { exhausted, blocked } = this.#last;
    const active = this.#rows.pending.size - monitor.parked - window.queued;
    if (active > 0 || (control === 'running' && (!exhausted || blocked > 0))) {
      this.#idleSince = undefined;
      return false;
    }
    if (this.#idleSince !== undefined && !isDue) return false;
    const open = await openRowsOf(deps, this.#owned.batch);
    if (this.#rows.pending.size === 0 && open.all === 0) return true;
    const now = performance.now();
    this.#idleSince ??= now;
    // Rows come from the lanes that do the other part, at any time.
    const mustStay = this.#isSplit && (control === 'paused' ? open.begun : open.all) > 0;
    if (mustStay) this.#idleSince = now;
    const lingerMs = control === 'running' && this.#lanes > 1 ? LINGER_BESIDE_OTHERS_MS : LINGER_MS[control];
    return now - this.#idleSince >= lingerMs;
  }
}

/**
 * True if this process has several lanes of the batch, for example one taken over from a dead worker, and another
 * worker has none: that worker should get this lane.
 */
async function isWantedBy(deps: Dependencies, { lane }: LaneOwnership, taken: readonly OwnedLane[]): Promise<boolean> {
  const { owner } = deps;
  if (taken.filter((one) => one.owner === owner).length < 2) return false;
  return shouldYieldLane({ lane, owner }, await eligibleWorkers(deps, lane), taken);
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
