import { setTimeout as sleep } from 'node:timers/promises';
import pLimit from 'p-limit';
import type { Observe } from '../../contract/work-events.ts';
import { limiterScope, type Account } from '../../contract/names.ts';
import type { Ledger } from '../../ledger/ledger.ts';

/** Dependencies passed in by the caller. */
interface Needs {
  readonly ledger: Pick<Ledger, 'countRunning' | 'updateLimiter'>;
  readonly realm: Account;
  readonly owner: string;
  readonly clock: { now(): { readonly wall: number; readonly monotonic: number } };
}

/** While there are requests, the ledger is asked this often for the limit and the number of running jobs, ms. */
const ASK_EVERY_MS = 250;
/** A waiter checks this often whether a job of this process has ended, ms. */
const CHECK_EVERY_MS = 25;

/** What the ledger last said. */
interface Known {
  /** Monotonic, ms. */
  readonly since: number;
  /** Requests that this process may still send until it asks again; null for any number. */
  readonly room: number | null;
}

/**
 * The API's limit on concurrent jobs, and this process's share of it. The limit is learned from refusals, which cost
 * nothing, and shared by all processes. Running jobs are counted in the ledger a few times a second. In between, this
 * process counts the requests it lets through and the jobs it sees end: such a job frees its slot at once, before its
 * result is stored.
 */
export class ConcurrencyLimit {
  readonly #door = pLimit(1);
  #known: Known | undefined;
  #asking: Promise<Known> | undefined;
  /** Requests let through whose answer is not on record yet: each may be one more job. */
  #inside = 0;
  /** Requests let through minus slots freed since the ledger was last read. */
  #taken = 0;
  /** Jobs that this process saw end, before the ledger records it. */
  readonly #ended = new Set<string>();

  /**
   * Waits until the API has room for one more job, and counts that job from then on. Call the returned function once
   * the answer is on record and the ledger counts the job. Rejects if the signal aborts first.
   */
  async enter(deps: Needs, signal: AbortSignal): Promise<() => void> {
    // First come, first served; if hundreds wait, only one of them checks.
    await this.#door(async () => {
      for (;;) {
        signal.throwIfAborted();
        const { room } = await this.#upToDate(deps);
        // Nothing may come between the check and the step, or all waiters would go at once.
        if (room === null || this.#taken < room) break;
        await sleep(CHECK_EVERY_MS, undefined, { signal });
      }
      this.#inside += 1;
      this.#taken += 1;
    });
    return () => {
      this.#inside -= 1;
    };
  }

  /** This process saw the job end. */
  ended(job: string): void {
    if (this.#ended.has(job)) return;
    this.#ended.add(job);
    this.#taken -= 1;
  }

  /** The ledger records the job's end, or nobody waits for it any more. */
  settled(job: string): void {
    this.#ended.delete(job);
  }

  /** The API refused a request because too many jobs are unfinished. */
  async refused(deps: Needs & { readonly observe: Observe }): Promise<void> {
    const { owner } = deps;
    // Count only jobs on record: other requests that were let through may be refused as well. A limit one too low is
    // corrected by trying one more now and then; one too high would be refused again and again.
    const running = await this.#running(deps);
    const now = deps.clock.now().wall;
    await deps.ledger.updateLimiter(scopeOf(deps), { type: 'limit-reached', owner, running, now });
    deps.observe({ type: 'limiter', of: 'jobs', is: 'slow-down', running });
    this.#known = undefined;
  }

  /**
   * The ledger's last answer, no older than the asking interval. While there is no limit, the last answer is used until
   * a new one arrives.
   */
  async #upToDate(deps: Needs): Promise<Known> {
    const known = this.#known;
    if (known !== undefined && deps.clock.now().monotonic - known.since < ASK_EVERY_MS) return known;
    this.#asking ??= this.#ask(deps).finally(() => {
      this.#asking = undefined;
    });
    if (known?.room !== null) return this.#asking;
    this.#asking.catch(() => undefined);
    return known;
  }

  async #ask(deps: Needs): Promise<Known> {
    const { wall, monotonic: since } = deps.clock.now();
    const step = { type: 'join', owner: deps.owner, now: wall } as const;
    const { most, members } = await deps.ledger.updateLimiter(scopeOf(deps), step);
    const inside = this.#inside;
    const running = most === null ? 0 : await this.#running(deps);
    const room = most === null ? null : Math.max(0, Math.ceil((most - running - inside) / members));
    // A request let through meanwhile may or may not be in the ledger's count; count it.
    this.#taken = this.#inside - inside;
    this.#known = { since, room };
    return this.#known;
  }

  /** Recorded jobs of all processes, without those that this process has seen end. */
  async #running({ ledger, realm }: Needs): Promise<number> {
    const ended = this.#ended.size;
    return Math.max(0, (await ledger.countRunning(realm.apiUrl, realm.account)) - ended);
  }
}

function scopeOf(deps: Needs): string {
  return limiterScope(deps, 'jobs');
}
