import { limiterScope, type Account } from '../../contract/names.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import { steadyShare, type SteadyShare } from '../../policy/pacing/catch-up.ts';
import { LEASE_MS, type LeaseAnswer } from '../../policy/pacing/rate-lease.ts';
import type { Instant } from '../../policy/pacing/send-deadline.ts';
import type { BatchCache } from '../cache/batch-cache.ts';

/** The endpoint classes, which have separate limits: paid requests (`create`) and free reads (`read`). */
export type EndpointClass = 'create' | 'read';

/** Dependencies needed to pace a call. */
export interface PaceNeeds {
  readonly ledger: Pick<Ledger, 'updateLimiter'>;
  readonly batches: Pick<BatchCache, 'read'>;
  readonly realm: Account;
  /** Identity of this process. */
  readonly owner: string;
  readonly clock: { now(): Instant };
}

/** How often the lease is renewed and the batch's settings are read while there are calls, ms. */
export const RENEW_MS = 250;
/** The same during a long pause, ms. */
const RENEW_IN_PAUSE_MS = 1_000;
/** Retry interval while other processes hold the whole rate, ms. */
export const NOTHING_LEFT_MS = 50;
/** Calls per second to ask for if this process could use the whole rate. */
const WHOLE_RATE = 1e9;

/** A granted lease, and the settings of its batch as read with it. */
export interface KnownLease {
  /** When it was granted, monotonic ms. */
  readonly since: number;
  /** The rate that the user stated for the batch, calls per second; null for none. */
  readonly limit: number | null;
  /** False if calls of this class should not be made now, because the batch does not run. */
  readonly mayCall: boolean;
  /** The rate granted to this process, and a pause if there is one. */
  readonly lease: LeaseAnswer;
  /**
   * True if neither this lease nor the one before had another holder. One lease alone proves little: a process that
   * starts at the same moment as others does not see them yet.
   */
  readonly isAlone: boolean;
  /** The granted rate, and since when it has been the same. */
  readonly steady: SteadyShare;
}

/**
 * Holds the share of an account's rate that this process has for one batch and endpoint class. The ledger grants it as
 * a short lease, renewed here while there are calls; a pause ends it. `pace-line.ts` makes calls within it.
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
  /** True if a call had to wait since the last renewal. */
  #isShort = false;
  #wasAlone = false;
  #steady: SteadyShare = { rate: null, since: 0 };

  /** `usedBy`: returns the calls of the last second that count against the rate at this monotonic time. */
  constructor(endpoint: EndpointClass, batch: string, usedBy: (now: number) => number) {
    this.#endpoint = endpoint;
    this.#batch = batch;
    this.#usedBy = usedBy;
  }

  /** The lease granted last; undefined before the first, and after a pause until the next. */
  get known(): KnownLease | undefined {
    return this.#known;
  }

  /** End of the current or last pause, monotonic ms: no slot is granted before it. */
  get pausedUntil(): number {
    return this.#pausedUntil;
  }

  /** Ends the lease. No slot is granted before `until` (monotonic ms), and then only with a new lease. */
  pauseUntil(until: number): void {
    this.#pauses += 1;
    this.#pausedUntil = until;
    this.#known = undefined;
  }

  /** Notes that a call had to wait because the share was used up, so that the next renewal asks for more. */
  noteShort(): void {
    this.#isShort = true;
  }

  /** Returns a lease that has not run out, and renews it in the background. Rejects if the ledger cannot be read. */
  async current(deps: PaceNeeds): Promise<KnownLease> {
    const now = deps.clock.now().monotonic;
    const known = this.#known;
    const age = known === undefined ? Infinity : now - known.since;
    if (known !== undefined && age < renewAfterMs(known)) return known;
    this.#renewal ??= this.#renew(deps).finally(() => {
      this.#renewal = undefined;
    });
    if (known === undefined || age >= LEASE_MS || known.lease.rate === 0) return this.#renewal;
    // If this renewal fails, the lease runs out, and the caller that then awaits a renewal gets the error.
    this.#renewal.catch(() => undefined);
    return known;
  }

  /** Asks the ledger for a new lease. Repeats that if a pause began meanwhile. */
  async #renew(deps: PaceNeeds): Promise<KnownLease> {
    const batch = await deps.batches.read(this.#batch);
    if (batch === undefined) throw new Error(`The ledger has no batch "${this.#batch}".`);
    const { settings, control } = batch;
    const limit = this.#endpoint === 'create' ? settings.limits.rate : settings.limits.pollRate;
    const pauses = this.#pauses;
    const isShort = this.#isShort;
    this.#isShort = false;
    const { wall, monotonic: since } = deps.clock.now();
    const used = this.#usedBy(since);
    const lease = await deps.ledger.updateLimiter(limiterScope(deps, this.#endpoint), {
      type: 'lease',
      owner: deps.owner,
      batch: this.#batch,
      limit,
      want: isShort ? WHOLE_RATE : used,
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

/** Returns the age at which a lease is renewed, ms. */
function renewAfterMs({ lease }: KnownLease): number {
  if (lease.rate === 0) return NOTHING_LEFT_MS;
  return lease.pauseMs > RENEW_IN_PAUSE_MS ? RENEW_IN_PAUSE_MS : RENEW_MS;
}
