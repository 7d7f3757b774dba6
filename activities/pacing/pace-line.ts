import { setMaxListeners } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { mayCatchUp } from '../../policy/pacing/catch-up.ts';
import { leadAfter, leadWhenFull, MIN_LEAD_MS } from '../../policy/pacing/lead.ts';
import { Pacer, type Slot } from '../../policy/pacing/pacer.ts';
import {
  RateLease,
  NOTHING_LEFT_MS,
  RENEW_MS,
  type EndpointClass,
  type KnownLease,
  type PaceNeeds,
} from './rate-lease.ts';

/** Gap between calls while no limit is known, ms. If the API has one, it then refuses a few calls, not all of them. */
const GAP_MS: Readonly<Record<EndpointClass, number>> = { create: 1, read: 0 };

/** A call that waits. */
interface Waiter {
  readonly give: (slot: Slot) => void;
  readonly fail: (reason: unknown) => void;
}

/**
 * Queues the calls of one batch in one endpoint class in this process, first come, first served, and gives each a slot:
 * a time at which it may be made, within this process's share of the common rate ({@link RateLease}).
 */
export class PaceLine {
  /**
   * Spaces the slots, and counts the calls made. Starts at a random phase, so that processes that start together do not
   * send at the same moments.
   */
  readonly pacer = new Pacer(Math.random());
  readonly #endpoint: EndpointClass;
  readonly #waiting = new Set<Waiter>();
  readonly #lease: RateLease;
  #isServing = false;
  /** How long before its time a slot is given, ms: time to record an intent. A free read records nothing first. */
  #leadMs: number;

  constructor(endpoint: EndpointClass, batch: string) {
    this.#endpoint = endpoint;
    this.#leadMs = endpoint === 'create' ? MIN_LEAD_MS : 0;
    // Includes calls that have a slot but are not made yet, because they count as soon as they are made.
    this.#lease = new RateLease(endpoint, batch, (now) =>
      Math.max(this.pacer.usedBefore(now), this.pacer.usedBefore(now + this.#leadMs)),
    );
  }

  /** The rate that the user stated for the batch, calls per second; null for none. */
  get limit(): number | null {
    return this.#lease.known?.limit ?? null;
  }

  /** Roughly how long the waiting calls keep the line busy, ms; 0 if none waits, or only for a pause to end. */
  get backlogMs(): number {
    const rate = this.#lease.known?.lease.rate ?? null;
    return this.#waiting.size === 0 || rate === null ? 0 : (this.#waiting.size * 1_000) / rate;
  }

  /** No slot is granted before this, monotonic ms. */
  get pausedUntil(): number {
    return this.#lease.pausedUntil;
  }

  /** True if all processes know that the API is unreachable or down. */
  get isTroubled(): boolean {
    return this.#lease.known?.lease.isTroubled ?? false;
  }

  /** Waits for a slot. Rejects if the signal aborts first, or the ledger cannot be read. */
  take(deps: PaceNeeds, signal: AbortSignal): Promise<Slot> {
    return new Promise((resolve, reject) => {
      signal.throwIfAborted();
      const leave = (): void => {
        this.#waiting.delete(waiter);
        signal.removeEventListener('abort', abort);
      };
      const waiter: Waiter = {
        give: (slot) => {
          leave();
          resolve(slot);
        },
        fail: (reason) => {
          leave();
          // eslint-disable-next-line @typescript-eslint/prefer-promise-reject-errors -- passes on what it was given
          reject(reason);
        },
      };
      const abort = (): void => {
        waiter.fail(signal.reason);
      };
      // A whole window may wait on one signal.
      setMaxListeners(0, signal);
      signal.addEventListener('abort', abort);
      this.#waiting.add(waiter);
      if (!this.#isServing) void this.#serve(deps);
    });
  }

  /** Adjusts the lead to the time that it took to record the intent of a paid request, ms. */
  noteRecorded(tookMs: number): void {
    this.#leadMs = leadAfter(this.#leadMs, tookMs);
  }

  /** Adjusts the lead after the in-flight limit had no room for a paid request that had its slot. */
  noteFull(): void {
    this.#leadMs = leadWhenFull(this.#leadMs);
  }

  /** Gives no slot before `until` (monotonic ms), and then only with a new lease. */
  pauseUntil(until: number): void {
    this.#lease.pauseUntil(until);
  }

  /** Gives slots as long as any call waits. Never rejects: an error goes to all waiting calls. */
  async #serve(deps: PaceNeeds): Promise<void> {
    this.#isServing = true;
    try {
      while (this.#waiting.size > 0) {
        const wait = this.#giveSlots(deps, await this.#lease.current(deps));
        if (this.#waiting.size > 0) await sleep(Math.min(wait, RENEW_MS));
      }
    } catch (error) {
      for (const waiter of [...this.#waiting]) waiter.fail(error);
    } finally {
      this.#isServing = false;
    }
  }

  /** Gives the slots that are available now. Returns how long until there may be more, ms. */
  #giveSlots({ clock }: PaceNeeds, { mayCall, lease, isAlone, steady }: KnownLease): number {
    for (const waiter of this.#waiting) {
      const now = clock.now().monotonic;
      // The batch does not run, so the request's intent will be refused: no need to wait.
      if (!mayCall) {
        waiter.give({ at: now, isRefused: false, rate: null });
        continue;
      }
      if (lease.rate === null) {
        if (this.pausedUntil > now) return this.pausedUntil - now;
        waiter.give(this.pacer.unlimited(now, GAP_MS[this.#endpoint]));
        continue;
      }
      const share = {
        rate: lease.rate,
        mayCatchUp: mayCatchUp({ isAlone, isStated: lease.isStated }, steady, now),
        mayBunch: lease.isStated,
        pausedUntil: this.pausedUntil,
      };
      const next = lease.rate > 0 ? this.pacer.next(share, now, this.#leadMs) : { notBefore: now + NOTHING_LEFT_MS };
      if ('notBefore' in next) {
        this.#lease.noteShort();
        return Math.max(1, next.notBefore - now);
      }
      waiter.give(next);
    }
    return 0;
  }
}
