import { setMaxListeners } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { limiterScope, type Account } from '../../contract/names.ts';
import { mayCatchUp, steadyShare, type SteadyShare } from '../../policy/pacing/catch-up.ts';
import { leadAfter, leadWhenFull, LEAST_LEAD_MS } from '../../policy/pacing/lead.ts';
import { LEASE_MS, type LeaseAnswer } from '../../policy/pacing/lease.ts';
import { Pacer, type Slot } from '../../policy/pacing/pacer.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import type { Instant } from '../../policy/pacing/send-deadline.ts';
import type { BatchCache } from '../cache/batch-cache.ts';

/** Endpoint classes with separate limits: paid requests, and free reads. */
export type EndpointClass = 'create' | 'read';

/** Dependencies of pacing a call. */
export interface PaceNeeds {
  readonly ledger: Pick<Ledger, 'updateLimiter'>;
  readonly batches: Pick<BatchCache, 'read'>;
  readonly realm: Account;
  /** This process. */
  readonly owner: string;
  readonly clock: { now(): Instant };
}

/**
 * Gap between calls without a known limit, ms. An unstated limit then refuses only a few calls, not all that are ready.
 */
const APART_MS: Readonly<Record<EndpointClass, number>> = { create: 1, read: 0 };

/** While there are calls, the lease is renewed and the batch's settings are read this often, ms. */
const RENEW_MS = 250;
/** Like {@link RENEW_MS}, during a long pause. */
const RENEW_IN_PAUSE_MS = 1_000;
/** Retry interval while others hold the whole rate, ms. */
const NOTHING_LEFT_MS = 50;
/** Stands for "no limit" where a number is needed. */
const ALL = 1e9;

/** The lease and the batch's settings, and when they were read, monotonic ms. */
interface Known {
  readonly since: number;
  readonly limit: number | null;
  readonly mayCall: boolean;
  readonly lease: LeaseAnswer;
  /**
   * True if this lease and the one before had no other holder: a process that starts at the same moment as others does
   * not see them at once.
   */
  readonly isAlone: boolean;
  /** Since when the share is what it is. */
  readonly steady: SteadyShare;
}

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
  readonly #batch: string;
  readonly #waiting = new Set<Waiter>();
  #known: Known | undefined;
  #renewal: Promise<Known> | undefined;
  #pausedUntil = 0;
  /** Counts pauses, so that a lease granted before a pause does not end it. */
  #pauses = 0;
  #isShort = false;
  #wasAlone = false;
  #steady: SteadyShare = { rate: null, since: 0 };
  #isServing = false;
  /** How far ahead turns are granted, ms. A free read has nothing to record first. */
  #leadMs: number;

  constructor(endpoint: EndpointClass, batch: string) {
    this.#endpoint = endpoint;
    this.#batch = batch;
    this.#leadMs = endpoint === 'create' ? LEAST_LEAD_MS : 0;
  }

  get limit(): number | null {
    return this.#known?.limit ?? null;
  }

  /** Roughly how long the waiting calls keep the line busy, ms; 0 if none waits, or only for a pause to end. */
  get backlogMs(): number {
    const rate = this.#known?.lease.rate ?? null;
    return this.#waiting.size === 0 || rate === null ? 0 : (this.#waiting.size * 1_000) / rate;
  }

  /** No slot is granted before this, monotonic ms. */
  get pausedUntil(): number {
    return this.#pausedUntil;
  }

  get isTroubled(): boolean {
    return this.#known?.lease.isTroubled ?? false;
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
    this.#pauses += 1;
    this.#pausedUntil = until;
    this.#known = undefined;
  }

  /** Grants slots as long as any call waits. Never rejects. */
  async #serve(deps: PaceNeeds): Promise<void> {
    this.#isServing = true;
    try {
      while (this.#waiting.size > 0) {
        const wait = this.#giveOut(deps, await this.#upToDate(deps));
        if (this.#waiting.size > 0) await sleep(Math.min(wait, RENEW_MS));
      }
    } catch (error) {
      for (const waiter of [...this.#waiting]) waiter.fail(error);
    } finally {
      this.#isServing = false;
    }
  }

  /** Grants the slots there are now; returns how long until there may be more, ms. */
  #giveOut({ clock }: PaceNeeds, { mayCall, lease, isAlone, steady }: Known): number {
    for (const waiter of this.#waiting) {
      const now = clock.now().monotonic;
      // Its intent will be refused.
      if (!mayCall) {
        waiter.give({ at: now, isRefused: false, rate: null });
        continue;
      }
      if (lease.rate === null) {
        if (this.#pausedUntil > now) return this.#pausedUntil - now;
        waiter.give(this.pacer.unlimited(now, APART_MS[this.#endpoint]));
        continue;
      }
      const share = {
        rate: lease.rate,
        mayCatchUp: mayCatchUp({ isAlone, isStated: lease.isStated }, steady, now),
        mayBunch: lease.isStated,
        pausedUntil: this.#pausedUntil,
      };
      const next = lease.rate > 0 ? this.pacer.next(share, now, this.#leadMs) : { notBefore: now + NOTHING_LEFT_MS };
      if ('notBefore' in next) {
        this.#isShort = true;
        return Math.max(1, next.notBefore - now);
      }
      waiter.give(next);
    }
    return 0;
  }

  /** Lease and settings, no older than a lease lasts; renewed earlier in the background. */
  async #upToDate(deps: PaceNeeds): Promise<Known> {
    const now = deps.clock.now().monotonic;
    const known = this.#known;
    const age = known === undefined ? Infinity : now - known.since;
    const isLong = known !== undefined && known.lease.pauseMs > RENEW_IN_PAUSE_MS;
    const renewAfter = known?.lease.rate === 0 ? NOTHING_LEFT_MS : isLong ? RENEW_IN_PAUSE_MS : RENEW_MS;
    if (known !== undefined && age < renewAfter) return known;
    this.#renewal ??= this.#renew(deps).finally(() => {
      this.#renewal = undefined;
    });
    if (known === undefined || age >= LEASE_MS || known.lease.rate === 0) return this.#renewal;
    // The next renewal is awaited once the lease has run out; that caller gets the error.
    this.#renewal.catch(() => undefined);
    return known;
  }

  async #renew(deps: PaceNeeds): Promise<Known> {
    const batch = await deps.batches.read(this.#batch);
    if (batch === undefined) throw new Error(`The ledger has no batch "${this.#batch}".`);
    const { settings, control } = batch;
    const limit = this.#endpoint === 'create' ? settings.limits.rate : settings.limits.pollRate;
    const [pauses, isShort] = [this.#pauses, this.#isShort];
    this.#isShort = false;
    const { wall, monotonic: since } = deps.clock.now();
    // With calls that have their turn and are still to come: those count as soon as they go.
    const used = Math.max(this.pacer.usedBefore(since), this.pacer.usedBefore(since + this.#leadMs));
    const lease = await deps.ledger.updateLimiter(limiterScope(deps, this.#endpoint), {
      type: 'lease',
      owner: deps.owner,
      batch: this.#batch,
      limit,
      want: isShort ? ALL : used,
      used,
      isShort,
      now: wall,
    });
    const mayCall = this.#endpoint === 'read' || control === 'running';
    this.#steady = steadyShare(this.#steady, lease.rate, since);
    const steady = this.#steady;
    const known = { since, limit, mayCall, lease, isAlone: lease.isAlone && this.#wasAlone, steady };
    this.#wasAlone = lease.isAlone;
    if (pauses !== this.#pauses) return this.#renew(deps);
    this.#known = known;
    this.#pausedUntil = since + lease.pauseMs;
    return known;
  }
}
