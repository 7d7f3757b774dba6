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

/** How often to look for what was done and what has ended, ms. */
const LOOK_EVERY_MS = 1_000;
/** An action that cannot be told so often by itself is left out, or no later one would be told. */
const MAX_TRIES = 3;
/** A transaction of PostgreSQL may become visible after one with a higher number, by this many at most. */
const LATE = 50;

type Read = 'actionsOf' | 'closedAmong' | 'counts' | 'findBatch' | 'lastAction' | 'listBatches' | 'money';

/** Whose batches are watched, and who is told. */
export interface WatchedBatches {
  readonly ledger: Pick<Ledger, Read | 'scheduleRecord'>;
  readonly realm: Realm;
  readonly observe: Observe;
}

/**
 * Tells of the open batches of a worker's API and account, and then of their ends and of all that people, schedules and
 * voxbatch itself do to such batches and their schedules, wherever that is done. Returns how to end it; what was done
 * by then is told first.
 */
export async function watchBatches(watched: WatchedBatches): Promise<() => Promise<void>> {
  const news = new BatchNews(watched);
  // A ledger that does not answer is told of elsewhere, and what was done meanwhile is told then.
  await news.look().catch(() => undefined);
  const ending = new AbortController();
  const watching = (async (): Promise<void> => {
    while (!ending.signal.aborted) {
      await sleep(LOOK_EVERY_MS, undefined, { signal: ending.signal, ref: false }).catch(() => undefined);
      await news.look().catch(() => undefined);
    }
  })();
  return () => {
    ending.abort();
    return watching;
  };
}

/** How long an ending worker waits for the last news of a ledger that does not answer, ms. */
const LAST_NEWS_MS = 5_000;

/** Ends what {@link watchBatches} began. A ledger that does not answer holds it up for `patienceMs` at most. */
export async function stopWatchingBatches(
  news: ReturnType<typeof watchBatches>,
  patienceMs = LAST_NEWS_MS,
): Promise<void> {
  const told = new AbortController();
  const last = news
    .then((end) => end())
    .finally(() => {
      told.abort();
    });
  await Promise.race([last, sleep(patienceMs, undefined, { signal: told.signal }).catch(() => undefined)]);
}

class BatchNews {
  readonly #watched: WatchedBatches;
  /** Batches whose end is news. */
  readonly #open = new Set<string>();
  /** Actions that need not be told any more, among the newest. */
  readonly #told = new Set<number>();
  /** The newest action of before it began; undefined: it has not. */
  #began: number | undefined;
  #hasBegun = false;
  #last = 0;
  /** The action that could not be told, and how often. */
  #stuck = { number: 0, tries: 0 };

  constructor(watched: WatchedBatches) {
    this.#watched = watched;
  }

  /** May be repeated after an error. */
  async #begin(): Promise<void> {
    const { ledger, realm, observe } = this.#watched;
    const began = (this.#began ??= await ledger.lastAction());
    this.#last = began;
    const found = await ledger.actionsOf({ after: began - LATE });
    const done = found.filter(({ number }) => number <= began);
    // What was done before is history; how it left the batches is told now. But a command that has put its batch on
    // record begins its worker then.
    const starts = new Map<string | null, number>();
    for (const { kind, batch, number } of done) {
      this.#told.add(number);
      if (kind === 'start') starts.set(batch, number);
    }
    for (const batch of await ledger.listBatches()) {
      if (batch.state !== 'open' || realmDifference(batch, realm) !== undefined) continue;
      const start = batch.startedAt === null ? starts.get(batch.name) : undefined;
      if (start !== undefined) {
        this.#open.add(batch.name);
        this.#told.delete(start);
        continue;
      }
      if (this.#open.has(batch.name)) continue;
      const { states } = await ledger.counts(batch.name);
      const rows = Object.values(states).reduce((sum, some) => sum + some, 0);
      this.#open.add(batch.name);
      observe({ ...this.#of(batch), is: 'open', control: batch.control, rows });
    }
    this.#hasBegun = true;
  }

  async look(): Promise<void> {
    if (!this.#hasBegun) await this.#begin();
    const { ledger } = this.#watched;
    const found = await ledger.actionsOf({ after: this.#last - LATE });
    for (const action of found) {
      if (this.#told.has(action.number)) continue;
      await this.#tell(action).catch((error: unknown) => {
        if (!this.#isHopeless(action)) throw error;
      });
      this.#told.add(action.number);
    }
    this.#last = Math.max(this.#last, ...found.map(({ number }) => number));
    for (const number of this.#told) if (number <= this.#last - LATE) this.#told.delete(number);
    for (const name of await ledger.closedAmong([...this.#open])) await this.#tellEnd(name);
  }

  /** Whether it has failed so often that it is left out. */
  #isHopeless({ number }: ActionRecord): boolean {
    const tries = this.#stuck.number === number ? this.#stuck.tries + 1 : 1;
    this.#stuck = { number, tries };
    return tries >= MAX_TRIES;
  }

  async #tell(action: ActionRecord): Promise<void> {
    const { ledger, observe, realm } = this.#watched;
    const { number, at, kind: is, batch: name, schedule, actor, reason, rows } = action;
    const { type: byType, name: by } = actor;
    // Why voxbatch itself paused a batch it says in the API's words, which may repeat a row's text.
    const what = { is, action: number, by, byType, reason: byType === 'voxbatch' ? undefined : (reason ?? undefined) };
    if (schedule !== null) {
      const record = await ledger.scheduleRecord(schedule);
      const isOther = record !== undefined && realmDifference(record.settings, realm) !== undefined;
      if (!isOther) observe({ type: 'schedule', schedule, ...what });
    }
    const batch = name === null ? undefined : await ledger.findBatch(name);
    if (batch === undefined || realmDifference(batch, realm) !== undefined) return;
    const why = is === 'pause' && byType === 'voxbatch' && batch.pauseReason !== null ? batch.pauseReason : undefined;
    const count = rows?.reduce((sum, [first, end]) => sum + end - first + 1, 0);
    const facts = { ...what, ...(why && failureFacts(why)), ...defined({ rows: count }) };
    observe({ ...this.#of(batch), ...facts });
    if (batch.state === 'open' || (batch.closedAt ?? 0) >= at) this.#open.add(batch.name);
  }

  async #tellEnd(name: string): Promise<void> {
    const { ledger, observe } = this.#watched;
    const batch = await ledger.findBatch(name);
    this.#open.delete(name);
    if (batch?.state !== 'closed') return;
    const [counts, { charged, uncertain }] = await Promise.all([ledger.counts(name), ledger.money(name)]);
    const some = Object.entries(counts.outcomes).filter(([, rows]) => rows > 0) as [Outcome, number][];
    const outcomes: Partial<Record<Outcome, number>> = Object.fromEntries(some);
    observe({ ...this.#of(batch), is: 'end', exit: exitOfView({ batch, counts }), outcomes, charged, uncertain });
  }

  #of({ name }: BatchRecord): Pick<BatchEvent, 'type' | 'batch' | 'workflowId'> {
    return { type: 'batch', batch: name, workflowId: batchWorkflowId(this.#watched.realm.ledgerId, name) };
  }
}
