import { limiterScope, type Realm } from '../../contract/names.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import {
  jobsIn,
  learnTimes,
  NO_JOB_TIMES,
  quantilesOf,
  type JobTimes,
  type Span,
} from '../../policy/polling/job-times.ts';
import { planPolls } from '../../policy/polling/learned-polls.ts';
import type { PollPlan } from '../../policy/polling/poll-schedule.ts';

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
/** From this many jobs on, a sort decides by itself. */
const WELL_KNOWN = 300;

/** From this many jobs on, the longest of them tells how long others take. */
const KNOWN = 30;
/** While fewer are known, another may take so many times as long as the longest. */
const BEYOND_FEW = 2;
/** Share of jobs that end within the longest known time. */
const NEARLY_ALL = 0.995;

/** Jobs of one sort. */
interface Sort {
  times: JobTimes;
  /** Jobs in it. */
  jobs: number;
  /** Seen here, not shared yet. */
  seen: Span[];
  /** When they were last shared, monotonic ms; before the first time, never. */
  sharedAt: number;
  isSharing: boolean;
  /** The best ages to poll at, per polling plan of a batch (by its gaps). */
  readonly ages: Map<string, readonly number[] | null>;
}

/**
 * How long jobs take, by their sort. All processes contribute: jobs of one sort take the same time whoever waits for
 * them. What is learned decides when the next jobs are polled. It is an aid, not a record: what cannot be shared is
 * lost, and polling falls back to the fixed gap.
 */
export class JobMemory {
  readonly #sorts = new Map<string, Sort>();

  /**
   * The best ages to poll jobs of these sorts at (the narrowest first), ms; null if the fixed gap is best, or nothing
   * is known. A narrow sort decides once it is well known: until then, jobs of all voices, say, tell more than a few of
   * one.
   */
  agesOf(deps: MemoryNeeds, sorts: readonly string[], plan: PollPlan): readonly number[] | null {
    const known = this.#decisive(deps, sorts);
    if (known === undefined) return null;
    const key = `${String(plan.firstLookMs)} ${String(plan.pollGapMs)}`;
    let ages = known.ages.get(key);
    if (ages === undefined) {
      ages = planPolls(known.times, plan);
      known.ages.set(key, ages);
    }
    return ages;
  }

  /** How long nearly all jobs of these sorts (the narrowest first) take at most, ms; undefined if none is known. */
  longestOf(deps: MemoryNeeds, sorts: readonly string[]): number | undefined {
    const known = this.#decisive(deps, sorts);
    if (known === undefined) return undefined;
    // What is not shared yet counts, too: a small batch may have nothing else to go by.
    const times = learnTimes(known.times, known.seen);
    const jobs = jobsIn(times);
    if (jobs === 0) return undefined;
    const [longest = 0] = quantilesOf(times, [NEARLY_ALL]);
    return jobs < KNOWN ? BEYOND_FEW * longest : longest;
  }

  /** A job of these sorts ended within this span of ages. */
  ended(deps: MemoryNeeds, sorts: readonly string[], span: Span): void {
    for (const sort of sorts) {
      const known = this.#sortOf(deps, sort);
      known.seen.push(span);
      const enough = Math.max(SHARE_AT, Math.min(SHARE_AT_MOST, known.jobs / 8));
      const isDue = known.seen.length >= enough || deps.clock.now().monotonic - known.sharedAt >= SHARE_EVERY_MS;
      if (isDue) void this.#share(deps, sort, known);
    }
  }

  /** The narrowest sort that is well known, else the widest. */
  #decisive(deps: MemoryNeeds, sorts: readonly string[]): Sort | undefined {
    const all = sorts.map((sort) => this.#sortOf(deps, sort));
    return all.find(({ jobs }) => jobs >= WELL_KNOWN) ?? all.at(-1);
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
      // The ledger's trouble is reported by callers that cannot do without it.
    } finally {
      known.isSharing = false;
    }
  }
}
