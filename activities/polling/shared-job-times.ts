import { limiterScope, type Account } from '../../contract/names.ts';
import type { JobOperation } from '../../contract/row-kinds.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import {
  earlyJobMs,
  learnTimes,
  longestJobMs,
  NO_JOB_TIMES,
  type JobTimes,
  type Span,
} from '../../policy/polling/job-times.ts';

/** Where job times are shared with other processes, and kept for later ones. */
export interface JobTimesNeeds {
  readonly ledger: Pick<Ledger, 'updateLimiter'>;
  readonly realm: Account;
  readonly clock: { now(): { readonly monotonic: number } };
}

/** New times are shared once there are this many, or an eighth of the known ones, with a minimum gap in ms. */
const SHARE_AT = 20;
const SHARE_AT_MOST = 500;
const SHARE_EVERY_MS = 5_000;

/** Jobs of one operation. */
interface Known {
  times: JobTimes;
  /** Seen here, not shared yet. */
  seen: Span[];
  /** When they were last shared, monotonic ms. */
  sharedAt: number;
  isSharing: boolean;
}

/**
 * Job durations, learned by all processes together, because jobs of one operation take the same time whoever waits for
 * them. They decide when the next jobs are first polled. This is an aid, not a record: times that cannot be shared are
 * lost.
 */
export class SharedJobTimes {
  readonly #known = new Map<JobOperation, Known>();

  /** The age before which hardly any job has ended, ms; 0 if unknown. */
  earlyJobMs(deps: JobTimesNeeds, operation: JobOperation): number {
    return earlyJobMs(this.#of(deps, operation).times);
  }

  /** How long nearly all jobs take at most, ms; undefined if none is known. */
  longestJobMs(deps: JobTimesNeeds, operation: JobOperation): number | undefined {
    const { times, seen } = this.#of(deps, operation);
    // Unshared times count too: a small batch may have nothing else to go by.
    return longestJobMs(learnTimes(times, seen));
  }

  /** A job ended within this span of ages. */
  ended(deps: JobTimesNeeds, operation: JobOperation, span: Span): void {
    const known = this.#of(deps, operation);
    known.seen.push(span);
    const enough = Math.max(SHARE_AT, Math.min(SHARE_AT_MOST, known.times.jobs / 8));
    const isDue = known.seen.length >= enough || deps.clock.now().monotonic - known.sharedAt >= SHARE_EVERY_MS;
    if (isDue) void this.#share(deps, operation, known);
  }

  #of(deps: JobTimesNeeds, operation: JobOperation): Known {
    let known = this.#known.get(operation);
    if (known === undefined) {
      known = { times: NO_JOB_TIMES, seen: [], sharedAt: 0, isSharing: false };
      this.#known.set(operation, known);
      // Fetches the times that others have observed.
      void this.#share(deps, operation, known);
    }
    return known;
  }

  /** Never rejects. */
  async #share(deps: JobTimesNeeds, operation: JobOperation, known: Known): Promise<void> {
    if (known.isSharing) return;
    known.isSharing = true;
    known.sharedAt = deps.clock.now().monotonic;
    const spans = known.seen;
    known.seen = [];
    try {
      known.times = await deps.ledger.updateLimiter(limiterScope(deps, `ages ${operation}`), { type: 'learn', spans });
    } catch {
      // Ledger faults are reported by callers that depend on it.
    } finally {
      known.isSharing = false;
    }
  }
}
