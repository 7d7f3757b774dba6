import { limiterScope, type Realm } from '../contract/names.ts';
import type { Ledger } from '../ledger/ledger.ts';
import { jobsIn, NO_JOB_TIMES, type JobTimes, type Span } from '../policy/job-times.ts';
import { planPolls } from '../policy/learned-polls.ts';
import type { PollPlan } from '../policy/poll-schedule.ts';

/** Where job times are shared with other processes, and kept for later ones. */
export interface MemoryNeeds {
  readonly ledger: Pick<Ledger, 'updateLimiter'>;
  readonly realm: Pick<Realm, 'apiUrl' | 'account'>;
  readonly clock: { now(): { readonly monotonic: number } };
}

/** Times that were seen are shared when there are so many, or an eighth of those that are known, ms apart at most. */
const SHARE_AT = 20;
const SHARE_AT_MOST = 500;
const SHARE_EVERY_MS = 5_000;
/** From so many jobs on a sort decides by itself. */
const WELL_KNOWN = 300;

/** Jobs of one sort. */
interface Sort {
  times: JobTimes;
  /** Jobs in it. */
  jobs: number;
  /** Seen here and not shared yet. */
  seen: Span[];
  /** When they were last shared, monotonic ms; before the first time, never. */
  sharedAt: number;
  isSharing: boolean;
  /** The best ages to poll, for the plan of a batch (by its gaps). */
  readonly ages: Map<string, readonly number[] | null>;
}

/**
 * How long jobs take, by their sort: seen by all processes, for jobs of one sort take as long whoever waits for them. What is
 * learned decides when the next ones are polled. It is a help and no record: what cannot be shared is lost, and the fixed gap
 * goes on.
 */
export class JobMemory {
  readonly #sorts = new Map<string, Sort>();

  /**
   * The best ages at which to poll jobs of these sorts (the narrowest first), ms; null where the fixed gap is best, or nothing is known.
   * A narrow sort decides once it is known well: until then jobs of all voices, say, tell more than a few of one.
   */
  agesOf(deps: MemoryNeeds, sorts: readonly string[], plan: PollPlan): readonly number[] | null {
    const all = sorts.map((sort) => this.#sortOf(deps, sort));
    const known = all.find(({ jobs }) => jobs >= WELL_KNOWN) ?? all.at(-1);
    if (known === undefined) return null;
    const key = `${String(plan.firstLookMs)} ${String(plan.pollGapMs)}`;
    let ages = known.ages.get(key);
    if (ages === undefined) {
      ages = planPolls(known.times, plan);
      known.ages.set(key, ages);
    }
    return ages;
  }

  /** A job of these sorts ended within a span of its age. */
  ended(deps: MemoryNeeds, sorts: readonly string[], span: Span): void {
    for (const sort of sorts) {
      const known = this.#sortOf(deps, sort);
      known.seen.push(span);
      const enough = Math.max(SHARE_AT, Math.min(SHARE_AT_MOST, known.jobs / 8));
      const isDue = known.seen.length >= enough || deps.clock.now().monotonic - known.sharedAt >= SHARE_EVERY_MS;
      if (isDue) void this.#share(deps, sort, known);
    }
  }

  #sortOf(deps: MemoryNeeds, sort: string): Sort {
    let known = this.#sorts.get(sort);
    if (known === undefined) {
      known = { times: NO_JOB_TIMES, jobs: 0, seen: [], sharedAt: 0, isSharing: false, ages: new Map() };
      this.#sorts.set(sort, known);
      // What others have seen before.
      void this.#share(deps, sort, known);
    }
    return known;
  }

  /** Never rejects. */
  async #share(deps: MemoryNeeds, sort: string, known: Sort): Promise<void> {
    if (known.isSharing) return;
    known.isSharing = true;
    known.sharedAt = deps.clock.now().monotonic;
    const spans = known.seen;
    known.seen = [];
    try {
      known.times = await deps.ledger.updateLimiter(limiterScope(deps, `times ${sort}`), { type: 'learn', spans });
      known.jobs = jobsIn(known.times);
      known.ages.clear();
    } catch {
      // The ledger's trouble is said by those who cannot do without it.
    } finally {
      known.isSharing = false;
    }
  }
}
