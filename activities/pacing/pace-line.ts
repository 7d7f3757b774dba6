import { setMaxListeners } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { mayCatchUp } from '../../policy/pacing/catch-up.ts';
import { leadAfter, leadWhenFull, LEAST_LEAD_MS } from '../../policy/pacing/lead.ts';
import { Pacer, type Slot } from '../../policy/pacing/pacer.ts';
import {
  RateLease,
  NOTHING_LEFT_MS,
  RENEW_MS,
  type EndpointClass,
  type KnownLease,
  type PaceNeeds,
} from './rate-lease.ts';

/**
 * Gap between calls without a known limit, ms. An unstated limit then refuses only a few calls, not all that are ready.
 */
const APART_MS: Readonly<Record<EndpointClass, number>> = { create: 1, read: 0 };

interface Waiter {
  readonly give: (slot: Slot) => void;
  readonly fail: (reason: unknown) => void;
}

/** Calls of one batch in one endpoint class that wait for their turn in this process, first come, first served. */
export class PaceLine {
  /**
   * Slots given, and what became of them. Starts at a random phase: processes that start together should not send
   * together.
   */
  readonly pacer = new Pacer(Math.random());
  readonly #endpoint: EndpointClass;
  readonly #waiting = new Set<Waiter>();
  readonly #lease: RateLease;
  #isServing = false;
  /** How far ahead turns are granted, ms. A free read has nothing to record first. */
  #leadMs: number;

  constructor(endpoint: EndpointClass, batch: string) {
    this.#endpoint = endpoint;
    this.#leadMs = endpoint === 'create' ? LEAST_LEAD_MS : 0;
    // With calls that have their turn and are still to come: those count as soon as they go.
    this.#lease = new RateLease(endpoint, batch, (now) =>
      Math.max(this.pacer.usedBefore(now), this.pacer.usedBefore(now + this.#leadMs)),
    );
  }

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

  /** The intent of a paid request that had its turn took this long to be on record. */
  noteRecorded(tookMs: number): void {
    this.#leadMs = leadAfter(this.#leadMs, tookMs);
  }

  /** The limit of requests in flight had no room for a paid request that had its turn. */
  noteFull(): void {
    this.#leadMs = leadWhenFull(this.#leadMs);
  }

  /** Grants no slot before then, and the next one only after it has read lease and settings again. */
  pauseUntil(until: number): void {
    this.#lease.pauseUntil(until);
  }

  /** Grants slots as long as any call waits. Never rejects. */
  async #serve(deps: PaceNeeds): Promise<void> {
    this.#isServing = true;
    try {
      while (this.#waiting.size > 0) {
        const wait = this.#giveOut(deps, await this.#lease.upToDate(deps));
        if (this.#waiting.size > 0) await sleep(Math.min(wait, RENEW_MS));
      }
    } catch (error) {
      for (const waiter of [...this.#waiting]) waiter.fail(error);
    } finally {
      this.#isServing = false;
    }
  }

  /** Grants the slots there are now; returns how long until there may be more, ms. */
  #giveOut({ clock }: PaceNeeds, { mayCall, lease, isAlone, steady }: KnownLease): number {
    for (const waiter of this.#waiting) {
      const now = clock.now().monotonic;
      // Its intent will be refused.
      if (!mayCall) {
        waiter.give({ at: now, isRefused: false, rate: null });
        continue;
      }
      if (lease.rate === null) {
        if (this.pausedUntil > now) return this.pausedUntil - now;
        waiter.give(this.pacer.unlimited(now, APART_MS[this.#endpoint]));
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
