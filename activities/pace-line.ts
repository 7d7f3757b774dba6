import { defined } from '../contract/defined.ts';
import { setMaxListeners } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { limiterScope } from '../contract/names.ts';
import type { Wave } from '../policy/learned-limit.ts';
import { LEASE_MS, type LeaseAnswer } from '../policy/lease.ts';
import { Pacer, type Slot } from '../policy/pacer.ts';
import type { EndpointClass, PaceNeeds } from './pace-needs.ts';

/** A lease is renewed, and the settings of the batch are read, this often while there are calls, ms. */
const RENEW_MS = 250;
/** The same during a long pause. */
const RENEW_IN_PAUSE_MS = 1_000;
/** All of the pace is lent to others: asked again after this, ms. */
const NOTHING_LEFT_MS = 50;
/** Stands for "as much as there is" where a number is needed. */
const ALL = 1e9;

/** What a lease and the settings of the batch say, and since when, monotonic ms. */
interface Known {
  readonly since: number;
  readonly limit: number | null;
  readonly mayCall: boolean;
  readonly lease: LeaseAnswer;
  /** Alone by this lease and by the one before: who begins at the same moment as others does not know of them at once. */
  readonly isAlone: boolean;
}

interface Waiter {
  readonly give: (slot: Slot) => void;
  readonly fail: (reason: unknown) => void;
}

/** The calls of one batch in one endpoint class that wait for their turn in this process, first come, first served. */
export class PaceLine {
  /** Slots that were given, and what became of them. Processes that begin together should not send together. */
  readonly pacer = new Pacer(Math.random());
  readonly #endpoint: EndpointClass;
  readonly #batch: string;
  readonly #aheadMs: number;
  readonly #apartMs: number;
  readonly #wave: () => Wave | undefined;
  readonly #waiting = new Set<Waiter>();
  #known: Known | undefined;
  #renewal: Promise<Known> | undefined;
  #pausedUntil = 0;
  /** Counts pauses, so that a lease from before one does not end it. */
  #pauses = 0;
  #isShort = false;
  #wasAlone = false;
  #isServing = false;

  /**
   * `aheadMs`: how long before its moment a slot is given. `apartMs`: the gap between calls where nothing limits them. `wave`: what is known of
   * the calls around the last refusal.
   */
  constructor(
    endpoint: EndpointClass,
    batch: string,
    { aheadMs, apartMs }: { readonly aheadMs: number; readonly apartMs: number },
    wave: () => Wave | undefined,
  ) {
    this.#endpoint = endpoint;
    this.#batch = batch;
    this.#aheadMs = aheadMs;
    this.#apartMs = apartMs;
    this.#wave = wave;
  }

  get limit(): number | null {
    return this.#known?.limit ?? null;
  }

  /** How long the calls that wait now keep the line busy, about, ms; 0 where nobody waits, or only for a pause to end. */
  get backlogMs(): number {
    const rate = this.#known?.lease.rate ?? null;
    return this.#waiting.size === 0 || rate === null ? 0 : (this.#waiting.size * 1_000) / rate;
  }

  /** No slot before this, monotonic ms. */
  get pausedUntil(): number {
    return this.#pausedUntil;
  }

  get isTroubled(): boolean {
    return this.#known?.lease.isTroubled ?? false;
  }

  /** Waits for a slot; rejects when the signal aborts before, or when the ledger cannot be asked. */
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
      // A whole window may wait by one signal.
      setMaxListeners(0, signal);
      signal.addEventListener('abort', abort);
      this.#waiting.add(waiter);
      if (!this.#isServing) void this.#serve(deps);
    });
  }

  /** No slot before then, and the next one only after a new look at what is known. */
  pauseUntil(until: number): void {
    this.#pauses += 1;
    this.#pausedUntil = until;
    this.#known = undefined;
  }

  /** Gives out slots as long as anybody waits. Never rejects. */
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

  /** Gives out what there is now; returns how long until there may be more, ms. */
  #giveOut({ clock }: PaceNeeds, { mayCall, lease, isAlone }: Known): number {
    for (const waiter of this.#waiting) {
      const now = clock.now().monotonic;
      // Its intent will be refused.
      if (!mayCall) {
        waiter.give({ at: now, isRefused: false, rate: null });
        continue;
      }
      if (lease.rate === null) {
        if (this.#pausedUntil > now) return this.#pausedUntil - now;
        waiter.give(this.pacer.unlimited(now, this.#apartMs));
        continue;
      }
      const share = { rate: lease.rate, mayCatchUp: isAlone, mayBunch: lease.isStated, pausedUntil: this.#pausedUntil };
      const next = lease.rate > 0 ? this.pacer.next(share, now, this.#aheadMs) : { notBefore: now + NOTHING_LEFT_MS };
      if ('notBefore' in next) {
        this.#isShort = true;
        return Math.max(1, next.notBefore - now);
      }
      waiter.give(next);
    }
    return 0;
  }

  /** What is known, not older than a lease lasts; renewed before that, without anybody waiting for it. */
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
    // Whoever needs it is told of its failure: the next renewal is awaited, once the lease is over.
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
    const used = this.pacer.usedBefore(since);
    const wave = this.#wave();
    const lease = await deps.ledger.updateLimiter(limiterScope(deps, this.#endpoint), {
      type: 'lease',
      owner: deps.owner,
      batch: this.#batch,
      limit,
      want: isShort ? ALL : used,
      used,
      isShort,
      ...defined({ wave }),
      now: wall,
    });
    const mayCall = this.#endpoint === 'read' || control === 'running';
    const known = { since, limit, mayCall, lease, isAlone: lease.isAlone && this.#wasAlone };
    this.#wasAlone = lease.isAlone;
    if (pauses !== this.#pauses) return this.#renew(deps);
    this.#known = known;
    this.#pausedUntil = since + lease.pauseMs;
    return known;
  }
}
