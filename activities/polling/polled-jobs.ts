/**
 * How a poll of a job can fail. `read`: the job itself could not be read. `result`: the job is completed, but its
 * result could not be fetched.
 */
export type PollTrouble = 'read' | 'result';

interface PolledJob {
  /** When it is polled next, monotonic ms. */
  readonly dueAt: number;
  /** Age at which it was last seen running, ms; Infinity once its end was reported. */
  readonly ranAtAge?: number;
  /** Consecutive failed polls, by kind. */
  readonly troubles: Readonly<Record<PollTrouble, number>>;
}

const NONE: PolledJob['troubles'] = { read: 0, result: 0 };

/**
 * Keeps the poll schedule of this process's jobs, by attempt name: when each is polled next, and how its last polls
 * ended. All times are of the monotonic clock, ms. Losing the schedule with the process costs a free read per job.
 */
export class PolledJobs {
  readonly #jobs = new Map<string, PolledJob>();

  /** Returns the time of the next poll: the result of `first` if this process has not polled the job yet. */
  dueAt(job: string, first: () => number): number {
    const known = this.#jobs.get(job) ?? { dueAt: first(), troubles: NONE };
    this.#jobs.set(job, known);
    return known.dueAt;
  }

  /** Sets the time of the next poll. */
  again(job: string, dueAt: number): void {
    this.#jobs.set(job, { troubles: NONE, ...this.#jobs.get(job), dueAt });
  }

  /** Notes a failed poll and sets the time of the next. Returns how many failed that way in a row. */
  countTrouble(job: string, what: PollTrouble, dueAt: number): number {
    const known = this.#jobs.get(job);
    const before = known?.troubles ?? NONE;
    const troubles = { ...before, [what]: before[what] + 1 };
    this.#jobs.set(job, { ...known, dueAt, troubles });
    return troubles[what];
  }

  /** Notes that the job could be read, which ends a series of failed reads. */
  wasRead(job: string): void {
    const known = this.#jobs.get(job);
    if (known === undefined) return;
    this.#jobs.set(job, { ...known, troubles: { ...known.troubles, read: 0 } });
  }

  /** Notes that the job was seen running at this age (ms), and sets the time of the next poll. */
  ran(job: string, ageMs: number, dueAt: number): void {
    this.again(job, dueAt);
    const known = this.#jobs.get(job);
    if (known !== undefined) this.#jobs.set(job, { ...known, ranAtAge: ageMs });
  }

  /**
   * Notes that the job was seen to have ended at this age (ms). Returns the span of ages in which it ended; undefined
   * if its end was noted before.
   */
  ended(job: string, ageMs: number): readonly [fromMs: number, toMs: number] | undefined {
    const known = this.#jobs.get(job);
    if (known?.ranAtAge === Number.POSITIVE_INFINITY) return undefined;
    this.#jobs.set(job, { dueAt: 0, troubles: NONE, ...known, ranAtAge: Number.POSITIVE_INFINITY });
    return [Math.min(ageMs, known?.ranAtAge ?? 0), ageMs];
  }

  /** Forgets a job that has ended. */
  forget(job: string): void {
    this.#jobs.delete(job);
  }
}
