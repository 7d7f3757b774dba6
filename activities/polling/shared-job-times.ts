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

/** The dependencies with which job times are shared with other processes and kept for later ones. */
export interface JobTimesNeeds {
  readonly ledger: Pick<Ledger, 'updateLimiter'>;
  readonly realm: Account;
  readonly clock: { now(): { readonly monotonic: number } };
}

/** New times are shared once their number is an eighth of the known ones, but between these bounds. */
const MIN_TO_SHARE = 20;
const MAX_TO_SHARE = 500;
/** New times are shared after this long in any case, ms. */
const SHARE_EVERY_MS = 5_000;

/** The times of jobs of one operation. */
interface KnownTimes {
  /** As shared last. */
  times: JobTimes;
  /** Seen by this process, and not shared yet. */
  seen: Span[];
  /** When times were shared last, monotonic ms. */
  sharedAt: number;
  isSharing: boolean;
}

/**
 * Learns how long jobs of each operation take, together with all other processes, by the ledger. The times decide when
 * jobs are first polled. They are an aid, not a record: times that cannot be shared are lost.
 */
export class SharedJobTimes {
  readonly #known = new Map<JobOperation, KnownTimes>();

  /** Returns the age before which hardly any job has ended, ms; 0 if unknown. */
  earlyJobMs(deps: JobTimesNeeds, operation: JobOperation): number {
    return earlyJobMs(this.#of(deps, operation).times);
  }

  /** Returns the age at which nearly all jobs have ended, ms; undefined if unknown. */
  longestJobMs(deps: JobTimesNeeds, operation: JobOperation): number | undefined {
    const { times, seen } = this.#of(deps, operation);
    // Includes times that are not shared yet: a small batch may have no others.
    return longestJobMs(learnTimes(times, seen));
  }

  /** Adds a job that ended within this span of ages, in ms. */
  add(deps: JobTimesNeeds, operation: JobOperation, span: Span): void {
    const known = this.#of(deps, operation);
    known.seen.push(span);
    const enough = Math.max(MIN_TO_SHARE, Math.min(MAX_TO_SHARE, known.times.jobs / 8));
    const isDue = known.seen.length >= enough || deps.clock.now().monotonic - known.sharedAt >= SHARE_EVERY_MS;
    if (isDue) void this.#share(deps, operation, known);
  }

  #of(deps: JobTimesNeeds, operation: JobOperation): KnownTimes {
    let known = this.#known.get(operation);
    if (known === undefined) {
      known = { times: NO_JOB_TIMES, seen: [], sharedAt: 0, isSharing: false };
      this.#known.set(operation, known);
      // Reads the times that other processes have shared.
      void this.#share(deps, operation, known);
    }
    return known;
  }

  /** Shares the new times, and reads those of all processes. Never rejects. */
  async #share(deps: JobTimesNeeds, operation: JobOperation, known: KnownTimes): Promise<void> {
    if (known.isSharing) return;
    known.isSharing = true;
    known.sharedAt = deps.clock.now().monotonic;
    const spans = known.seen;
    known.seen = [];
    try {
      known.times = await deps.ledger.updateLimiter(limiterScope(deps, `ages ${operation}`), { type: 'learn', spans });
    } catch {
      // Callers that depend on the ledger report its faults.
    } finally {
      known.isSharing = false;
    }
  }
}
