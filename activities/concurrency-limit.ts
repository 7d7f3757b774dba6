import { setTimeout as sleep } from 'node:timers/promises';
import pLimit from 'p-limit';
import { limiterScope, type Realm } from '../contract/names.ts';
import type { Ledger } from '../ledger/ledger.ts';

/** What is asked, and when. */
interface Needs {
  readonly ledger: Pick<Ledger, 'countRunning' | 'updateLimiter'>;
  readonly realm: Pick<Realm, 'apiUrl' | 'account'>;
  readonly owner: string;
  readonly clock: { now(): { readonly wall: number; readonly monotonic: number } };
}

/** The ledger is asked what holds, and how many jobs run, this often while there are requests, ms. */
const ASK_EVERY_MS = 250;
/** Whoever waits checks this often whether a job of this process has ended, ms. */
const CHECK_EVERY_MS = 25;

/** What was known when the ledger was asked last. */
interface Known {
  /** Monotonic, ms. */
  readonly since: number;
  /** Requests that this process may let through until it asks again; null: any number. */
  readonly room: number | null;
}

/**
 * How many jobs the API runs at once, and the part of them that this process may make. The limit is learned by a refusal, which costs
 * nothing, and shared by all processes. The jobs are counted in the ledger a few times a second; in between, this process counts
 * what it lets through itself, and what it sees end: such a job frees its place at once, before its result is stored.
 */
export class ConcurrencyLimit {
  readonly #door = pLimit(1);
  #known: Known | undefined;
  #asking: Promise<Known> | undefined;
  /** Requests that were let through and have no answer on record yet: each may be one more job. */
  #inside = 0;
  /** Let through less freed, since the ledger was asked. */
  #taken = 0;
  /** Jobs that were seen to have ended and are not on record as that. */
  readonly #ended = new Set<string>();

  /**
   * Waits until the API may take one more job, and makes the request: its job is counted from now on, and by the ledger once the request has its
   * answer on record. Rejects as the request does, or when the signal aborts first.
   */
  async run<T>(deps: Needs, signal: AbortSignal, request: () => Promise<T>): Promise<T> {
    // First come, first served; and where hundreds wait, one of them checks.
    await this.#door(async () => {
      for (;;) {
        signal.throwIfAborted();
        const { room } = await this.#upToDate(deps);
        // Nothing may come between the check and the step, else all who wait would go at once.
        if (room === null || this.#taken < room) break;
        await sleep(CHECK_EVERY_MS, undefined, { signal });
      }
      this.#inside += 1;
      this.#taken += 1;
    });
    try {
      return await request();
    } finally {
      this.#inside -= 1;
    }
  }

  /** A job was seen to have ended. */
  ended(job: string): void {
    if (this.#ended.has(job)) return;
    this.#ended.add(job);
    this.#taken -= 1;
  }

  /** A job is on record as ended, or is waited for no longer. */
  settled(job: string): void {
    this.#ended.delete(job);
  }

  /** The API refused a request because too many jobs are unfinished. */
  async refused(deps: Needs): Promise<void> {
    const { owner } = deps;
    // Jobs on record: others that were let through may be refused as well. One too few is made good by trying one more now and then; one
    // too many would be refused again and again.
    const running = await this.#running(deps);
    await deps.ledger.updateLimiter(scopeOf(deps), {
      type: 'limit-reached',
      owner,
      running,
      now: deps.clock.now().wall,
    });
    this.#known = undefined;
  }

  /** What is known, at most as old as the ledger may be asked; the last answer, while nothing limits and a new one is on its way. */
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
    // Whoever came in meanwhile may be counted or not; he counts.
    this.#taken = this.#inside - inside;
    this.#known = { since, room };
    return this.#known;
  }

  /** Jobs on record that run as far as is known here, of all processes. */
  async #running({ ledger, realm }: Needs): Promise<number> {
    const ended = this.#ended.size;
    return Math.max(0, (await ledger.countRunning(realm.apiUrl, realm.account)) - ended);
  }
}

function scopeOf(deps: Needs): string {
  return limiterScope(deps, 'jobs');
}
