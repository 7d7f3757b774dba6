import { setTimeout as sleep } from 'node:timers/promises';
import { failureFacts } from '../activities/visibility/event-facts.ts';
import { exitOfView } from '../batches/status/view-batch.ts';
import type { ActionRecord } from '../contract/actions.ts';
import type { BatchEvent } from '../contract/batch-events.ts';
import { defined } from '../contract/defined.ts';
import { batchWorkflowId, realmDifference, type Realm } from '../contract/names.ts';
import type { Outcome } from '../contract/outcomes.ts';
import type { Observe } from '../contract/work-events.ts';
import type { Ledger } from '../ledger/ledger.ts';
import type { BatchRecord } from '../ledger/batches/batch-records.ts';

/** Interval between two reads of the ledger, ms. */
const CHECK_EVERY_MS = 1_000;
/** Failed attempts to report an action before it is skipped, so that it does not block later ones. */
const MAX_TRIES = 3;
/**
 * How many action numbers below the highest known one are read again each time: PostgreSQL may make a transaction
 * visible after one with a higher number.
 */
const REREAD_ACTIONS = 50;
/** How long an ending worker waits for the last check, if the ledger does not answer, ms. */
const LAST_CHECK_MS = 5_000;

type Read = 'actionsOf' | 'closedAmong' | 'counts' | 'findBatch' | 'lastAction' | 'listBatches' | 'money';

/** Whose batches are watched, and who receives the events. */
export interface WatchedBatches {
  readonly ledger: Pick<Ledger, Read | 'scheduleRecord'>;
  /** Batches and schedules of other realms are ignored. */
  readonly realm: Realm;
  readonly observe: Observe;
}

/**
 * Emits events of the batches and schedules of a worker's realm (API, account and ledger), for its log and metrics.
 * First, an `open` event for each open batch; then one for each action that a person, a schedule or voxbatch takes on a
 * batch or schedule, in any process, and an `end` event for each batch that ends. While the ledger does not answer,
 * events are delayed, not lost.
 *
 * Resolves after the first read of the ledger, even if that failed. The returned function ends the watch, once events
 * of everything recorded so far are emitted.
 */
export async function watchBatches(watched: WatchedBatches): Promise<() => Promise<void>> {
  const watcher = new BatchWatcher(watched);
  // Outages of the ledger are reported elsewhere (`watch-outage.ts`).
  await watcher.check().catch(() => undefined);
  const ending = new AbortController();
  const watching = (async (): Promise<void> => {
    while (!ending.signal.aborted) {
      await sleep(CHECK_EVERY_MS, undefined, { signal: ending.signal, ref: false }).catch(() => undefined);
      await watcher.check().catch(() => undefined);
    }
  })();
  return () => {
    ending.abort();
    return watching;
  };
}

/** Ends a watch of {@link watchBatches}. If the ledger does not answer, waits for it for at most `patienceMs`. */
export async function stopWatchingBatches(
  watch: ReturnType<typeof watchBatches>,
  patienceMs = LAST_CHECK_MS,
): Promise<void> {
  const ended = new AbortController();
  const lastCheck = watch
    .then((end) => end())
    .finally(() => {
      ended.abort();
    });
  await Promise.race([lastCheck, sleep(patienceMs, undefined, { signal: ended.signal }).catch(() => undefined)]);
}

/** Emits the events of {@link watchBatches}, one {@link BatchWatcher.check} at a time. */
class BatchWatcher {
  readonly #watched: WatchedBatches;
  /** Names of open batches, whose end is to be reported. */
  readonly #open = new Set<string>();
  /** Numbers of recent actions that are not to be reported: earlier ones, reported ones and skipped ones. */
  readonly #handled = new Set<number>();
  /** Number of the last action before the watch began; undefined until it has been read. */
  #firstAction: number | undefined;
  #hasBegun = false;
  /** The highest action number known. */
  #lastAction = 0;
  /** The action that failed to be reported last, and how often in a row. */
  #failed = { number: 0, tries: 0 };

  constructor(watched: WatchedBatches) {
    this.#watched = watched;
  }

  /** Reports everything that is new since the last check. After an error, the next check continues where it failed. */
  async check(): Promise<void> {
    if (!this.#hasBegun) await this.#begin();
    const { ledger } = this.#watched;
    const found = await ledger.actionsOf({ after: this.#lastAction - REREAD_ACTIONS });
    for (const action of found) {
      if (this.#handled.has(action.number)) continue;
      await this.#reportAction(action).catch((error: unknown) => {
        if (!this.#shouldSkip(action)) throw error;
      });
      this.#handled.add(action.number);
    }
    this.#lastAction = Math.max(this.#lastAction, ...found.map(({ number }) => number));
    for (const number of this.#handled) {
      if (number <= this.#lastAction - REREAD_ACTIONS) this.#handled.delete(number);
    }
    for (const name of await ledger.closedAmong([...this.#open])) await this.#reportEnd(name);
  }

  /**
   * Reports the open batches. Actions before the watch are not reported, with one exception: `run` records a batch
   * before it starts its worker, so the `start` of a batch that has sent no paid request yet is reported instead of
   * `open`. May be called again after an error.
   */
  async #begin(): Promise<void> {
    const { ledger, realm } = this.#watched;
    const firstAction = (this.#firstAction ??= await ledger.lastAction());
    this.#lastAction = firstAction;
    const found = await ledger.actionsOf({ after: firstAction - REREAD_ACTIONS });
    const starts = new Map<string | null, number>();
    for (const { kind, batch, number } of found) {
      if (number > firstAction) continue;
      this.#handled.add(number);
      if (kind === 'start') starts.set(batch, number);
    }
    for (const batch of await ledger.listBatches()) {
      if (batch.state !== 'open' || realmDifference(batch, realm) !== undefined) continue;
      const start = batch.startedAt === null ? starts.get(batch.name) : undefined;
      if (start !== undefined) {
        this.#open.add(batch.name);
        this.#handled.delete(start);
      } else if (!this.#open.has(batch.name)) await this.#reportOpen(batch);
    }
    this.#hasBegun = true;
  }

  async #reportOpen(batch: BatchRecord): Promise<void> {
    const { ledger, observe } = this.#watched;
    const { states } = await ledger.counts(batch.name);
    const rows = Object.values(states).reduce((sum, count) => sum + count, 0);
    this.#open.add(batch.name);
    observe({ ...this.#identify(batch), is: 'open', control: batch.control, rows });
  }

  /** Counts a failed report of an action. Returns true if it is to be skipped from now on. */
  #shouldSkip({ number }: ActionRecord): boolean {
    const tries = this.#failed.number === number ? this.#failed.tries + 1 : 1;
    this.#failed = { number, tries };
    return tries >= MAX_TRIES;
  }

  async #reportAction(action: ActionRecord): Promise<void> {
    const { ledger, observe, realm } = this.#watched;
    const { number, at, kind: is, batch: name, schedule, actor, rows } = action;
    const { type: byType, name: by } = actor;
    // voxbatch's own reason for a pause is the API's message, which may repeat a row's text.
    const reason = byType === 'voxbatch' ? undefined : (action.reason ?? undefined);
    const facts = { is, action: number, by, byType, reason };
    if (schedule !== null) {
      const record = await ledger.scheduleRecord(schedule);
      const isOther = record !== undefined && realmDifference(record.settings, realm) !== undefined;
      if (!isOther) observe({ type: 'schedule', schedule, ...facts });
    }
    const batch = name === null ? undefined : await ledger.findBatch(name);
    if (batch === undefined || realmDifference(batch, realm) !== undefined) return;
    const failure = is === 'pause' && byType === 'voxbatch' ? batch.pauseReason : null;
    const rowCount = rows?.reduce((sum, [first, end]) => sum + end - first + 1, 0);
    observe({
      ...this.#identify(batch),
      ...facts,
      ...(failure === null ? {} : failureFacts(failure)),
      ...defined({ rows: rowCount }),
    });
    if (batch.state === 'open' || (batch.closedAt ?? 0) >= at) this.#open.add(batch.name);
  }

  /** Reports the end of a batch, unless it was deleted or reopened meanwhile. */
  async #reportEnd(name: string): Promise<void> {
    const { ledger, observe } = this.#watched;
    const batch = await ledger.findBatch(name);
    this.#open.delete(name);
    if (batch?.state !== 'closed') return;
    const [counts, { charged, uncertain }] = await Promise.all([ledger.counts(name), ledger.money(name)]);
    const nonZero = Object.entries(counts.outcomes).filter(([, rows]) => rows > 0) as [Outcome, number][];
    const outcomes: Partial<Record<Outcome, number>> = Object.fromEntries(nonZero);
    const exit = exitOfView({ batch, counts });
    observe({ ...this.#identify(batch), is: 'end', exit, outcomes, charged, uncertain });
  }

  /** Returns the fields that identify the batch of an event. */
  #identify({ name }: BatchRecord): Pick<BatchEvent, 'type' | 'batch' | 'workflowId'> {
    return { type: 'batch', batch: name, workflowId: batchWorkflowId(this.#watched.realm.ledgerId, name) };
  }
}
