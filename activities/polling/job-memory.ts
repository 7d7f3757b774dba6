import { limiterScope, type Realm } from '../../contract/names.ts';
import type { JobOperation } from '../../contract/row-kinds.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import {
  earlyOf,
  learnTimes,
  longestOf,
  NO_JOB_TIMES,
  type JobTimes,
  type Span,
} from '../../policy/polling/job-times.ts';

/** Where job times are shared with other processes, and kept for later ones. */
export interface MemoryNeeds {
  readonly ledger: Pick<Ledger, 'updateLimiter'>;
  readonly realm: Pick<Realm, 'apiUrl' | 'account'>;
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
 * How long jobs take. All processes contribute, because jobs of one operation take the same time whoever waits for them.
 * What is learned decides when the next jobs are polled first. It is an aid, not a record: what cannot be shared is lost.
 */
export class JobMemory {
  readonly #known = new Map<JobOperation, Known>();

  /** The age before which hardly any job has ended, ms; 0 if that is not known. */
  earlyOf(deps: MemoryNeeds, operation: JobOperation): number {
    return earlyOf(this.#of(deps, operation).times);
  }

  /** How long nearly all jobs take at most, ms; undefined if none is known. */
  longestOf(deps: MemoryNeeds, operation: JobOperation): number | undefined {
    const { times, seen } = this.#of(deps, operation);
    // What is not shared yet counts, too: a small batch may have nothing else to go by.
    return longestOf(learnTimes(times, seen));
  }

  /** A job ended within this span of ages. */
  ended(deps: MemoryNeeds, operation: JobOperation, span: Span): void {
    const known = this.#of(deps, operation);
    known.seen.push(span);
    const enough = Math.max(SHARE_AT, Math.min(SHARE_AT_MOST, known.times.jobs / 8));
    const isDue = known.seen.length >= enough || deps.clock.now().monotonic - known.sharedAt >= SHARE_EVERY_MS;
    if (isDue) void this.#share(deps, operation, known);
  }

  #of(deps: MemoryNeeds, operation: JobOperation): Known {
    let known = this.#known.get(operation);
    if (known === undefined) {
      known = { times: NO_JOB_TIMES, seen: [], sharedAt: 0, isSharing: false };
      this.#known.set(operation, known);
      // What others have seen before.
      void this.#share(deps, operation, known);
    }
    return known;
  }

  /** Never rejects. */
  async #share(deps: MemoryNeeds, operation: JobOperation, known: Known): Promise<void> {
    if (known.isSharing) return;
    known.isSharing = true;
    known.sharedAt = deps.clock.now().monotonic;
    const spans = known.seen;
    known.seen = [];
    try {
      known.times = await deps.ledger.updateLimiter(limiterScope(deps, `ages ${operation}`), { type: 'learn', spans });
    } catch {
      // The ledger's trouble is reported by callers that cannot do without it.
    } finally {
      known.isSharing = false;
    }
  }
}
