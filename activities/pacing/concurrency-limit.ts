import { setTimeout as sleep } from 'node:timers/promises';
import pLimit from 'p-limit';
import type { Observe } from '../../contract/work-events.ts';
import { limiterScope, type Account } from '../../contract/names.ts';
import type { Ledger } from '../../ledger/ledger.ts';

/** The dependencies that callers pass. */
interface LimitNeeds {
  readonly ledger: Pick<Ledger, 'countRunning' | 'updateLimiter'>;
  readonly realm: Account;
  /** Identity of this process. */
  readonly owner: string;
  readonly clock: { now(): { readonly wall: number; readonly monotonic: number } };
}

/** How often the limit and the number of running jobs are read from the ledger while there are requests, ms. */
const READ_EVERY_MS = 250;
/** How often the first waiter checks whether a job of this process has ended, ms. */
const CHECK_EVERY_MS = 25;

/** This process's share of the limit, as read from the ledger. */
interface Share {
  /** When the read began, monotonic ms. */
  readonly readAt: number;
  /** Requests that this process may send until the next read; null for any number. */
  readonly slots: number | null;
}

/**
 * Limits the jobs that run at the API at the same time. The API does not state its limit: all processes learn it
 * together from refusals, which cost nothing, and share it equally.
 *
 * The ledger has the limit and the running jobs of all processes; they are read a few times a second. Between two
 * reads, this process counts for itself: each request that it lets through takes a slot, and each job that it sees end
 * frees one at once, before the result is stored. Every paid request passes {@link ConcurrencyLimit.enter}, because
 * each may start a job.
 */
export class ConcurrencyLimit {
  readonly #queue = pLimit(1);
  #share: Share | undefined;
  #reading: Promise<Share> | undefined;
  /** Number of requests let through whose answers are not recorded yet: the ledger does not count their jobs. */
  #unrecorded = 0;
  /** Slots taken since the last read: requests let through, minus jobs seen to end. */
  #taken = 0;
  /** Names of attempts whose jobs this process saw end, but whose end the ledger has not recorded yet. */
  readonly #ended = new Set<string>();

  /**
   * Waits until the API has room for one more job, and takes a slot for it. Call the returned function once the answer
   * is recorded, so that the ledger counts the job from then on. Rejects if the signal aborts first.
   */
  async enter(deps: LimitNeeds, signal: AbortSignal): Promise<() => void> {
    // First come, first served: if hundreds wait, only the first of them checks.
    await this.#queue(async () => {
      for (;;) {
        signal.throwIfAborted();
        const { slots } = await this.#currentShare(deps);
        // No await between this check and taking the slot, or several waiters could take the same one.
        if (slots === null || this.#taken < slots) break;
        await sleep(CHECK_EVERY_MS, undefined, { signal });
      }
      this.#unrecorded += 1;
      this.#taken += 1;
    });
    return () => {
      this.#unrecorded -= 1;
    };
  }

  /** Frees the slot of a job that this process saw end. `job`: name of its attempt. Repeatable. */
  ended(job: string): void {
    if (this.#ended.has(job)) return;
    this.#ended.add(job);
    this.#taken -= 1;
  }

  /** Forgets a job, because the ledger has recorded its end or this process no longer waits for it. */
  settled(job: string): void {
    this.#ended.delete(job);
  }

  /** Lowers the limit of all processes, because the API refused a request for too many unfinished jobs. */
  async refused(deps: LimitNeeds & { readonly observe: Observe }): Promise<void> {
    const { owner } = deps;
    // Count only recorded jobs: other requests that were let through may be refused as well. A limit that is too low by
    // one is corrected by trying one more from time to time; one that is too high would be refused again and again.
    const running = await this.#countRunning(deps);
    const now = deps.clock.now().wall;
    await deps.ledger.updateLimiter(scopeOf(deps), { type: 'limit-reached', owner, running, now });
    deps.observe({ type: 'limiter', of: 'jobs', is: 'slow-down', running });
    this.#share = undefined;
  }

  /**
   * Returns the share as read at most {@link READ_EVERY_MS} ago. While no limit is known, an older one is returned at
   * once, and read again in the background.
   */
  async #currentShare(deps: LimitNeeds): Promise<Share> {
    const share = this.#share;
    if (share !== undefined && deps.clock.now().monotonic - share.readAt < READ_EVERY_MS) return share;
    this.#reading ??= this.#readShare(deps).finally(() => {
      this.#reading = undefined;
    });
    if (share?.slots !== null) return this.#reading;
    this.#reading.catch(() => undefined);
    return share;
  }

  /** Reads the limit and the running jobs, and computes the slots that this process has until the next read. */
  async #readShare(deps: LimitNeeds): Promise<Share> {
    const { wall, monotonic: readAt } = deps.clock.now();
    const step = { type: 'join', owner: deps.owner, now: wall } as const;
    const { most, members } = await deps.ledger.updateLimiter(scopeOf(deps), step);
    const unrecorded = this.#unrecorded;
    const running = most === null ? 0 : await this.#countRunning(deps);
    const slots = most === null ? null : Math.max(0, Math.ceil((most - running - unrecorded) / members));
    // A request let through during the read may or may not be in the ledger's count: count it.
    this.#taken = this.#unrecorded - unrecorded;
    this.#share = { readAt, slots };
    return this.#share;
  }

  /** Counts the recorded jobs of all processes, without those that this process has seen end. */
  async #countRunning({ ledger, realm }: LimitNeeds): Promise<number> {
    const ended = this.#ended.size;
    return Math.max(0, (await ledger.countRunning(realm.apiUrl, realm.account)) - ended);
  }
}

/** Returns the key of this limit among the ledger's limiters. */
function scopeOf(deps: LimitNeeds): string {
  return limiterScope(deps, 'jobs');
}
