import { limiterScope, type Account } from '../../contract/names.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import { steadyShare, type SteadyShare } from '../../policy/pacing/catch-up.ts';
import { LEASE_MS, type LeaseAnswer } from '../../policy/pacing/lease.ts';
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

/** While there are calls, the lease is renewed and the batch's settings are read this often, ms. */
export const RENEW_MS = 250;
/** Like {@link RENEW_MS}, during a long pause. */
const RENEW_IN_PAUSE_MS = 1_000;
/** Retry interval while others hold the whole rate, ms. */
export const NOTHING_LEFT_MS = 50;
/** Stands for "no limit" where a number is needed. */
const ALL = 1e9;

/** The lease and the batch's settings, and when they were read, monotonic ms. */
export interface KnownLease {
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

/**
 * The share of an account's rate that this process has for one batch and endpoint class, renewed while there are calls.
 * A pause ends it.
 */
export class RateLease {
  readonly #endpoint: EndpointClass;
  readonly #batch: string;
  readonly #usedBy: (now: number) => number;
  #known: KnownLease | undefined;
  #renewal: Promise<KnownLease> | undefined;
  #pausedUntil = 0;
  /** Counts pauses, so that a lease granted before a pause does not end it. */
  #pauses = 0;
  #isShort = false;
  #wasAlone = false;
  #steady: SteadyShare = { rate: null, since: 0 };

  /** `usedBy`: the calls of the lease's time that count at this moment. */
  constructor(endpoint: EndpointClass, batch: string, usedBy: (now: number) => number) {
    this.#endpoint = endpoint;
    this.#batch = batch;
    this.#usedBy = usedBy;
  }

  /** As read last; undefined before, and since a pause. */
  get known(): KnownLease | undefined {
    return this.#known;
  }

  /** No slot is granted before this, monotonic ms. */
  get pausedUntil(): number {
    return this.#pausedUntil;
  }

  /** There is nothing before then, and then only after lease and settings were read again. */
  pauseUntil(until: number): void {
    this.#pauses += 1;
    this.#pausedUntil = until;
    this.#known = undefined;
  }

  /** A call had to wait for lack of a share: the next lease asks for more. */
  noteShort(): void {
    this.#isShort = true;
  }

  /** Lease and settings, no older than a lease lasts; renewed earlier in the background. */
  async upToDate(deps: PaceNeeds): Promise<KnownLease> {
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

  async #renew(deps: PaceNeeds): Promise<KnownLease> {
    const batch = await deps.batches.read(this.#batch);
    if (batch === undefined) throw new Error(`The ledger has no batch "${this.#batch}".`);
    const { settings, control } = batch;
    const limit = this.#endpoint === 'create' ? settings.limits.rate : settings.limits.pollRate;
    const [pauses, isShort] = [this.#pauses, this.#isShort];
    this.#isShort = false;
    const { wall, monotonic: since } = deps.clock.now();
    const used = this.#usedBy(since);
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
