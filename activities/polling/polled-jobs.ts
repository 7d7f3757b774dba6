/**
 * How a poll of a job can fail. `read`: the job itself could not be read; `result`: it is completed, but its result
 * could not be fetched. Each may happen a few times in a row.
 */
export type PollTrouble = 'read' | 'result';

interface PolledJob {
  readonly dueAt: number;
  /** Age at which it was last seen running, ms. */
  readonly ranAtAge?: number;
  readonly troubles: Readonly<Record<PollTrouble, number>>;
}

const NONE: PolledJob['troubles'] = { read: 0, result: 0 };

/**
 * When each job is polled next, in this process, on its monotonic clock. Losing it with the process costs a free read
 * per job.
 */
export class PolledJobs {
  readonly #jobs = new Map<string, PolledJob>();

  /** Time of the next poll; `first` if this process has not polled the job yet. */
  dueAt(job: string, first: () => number): number {
    const known = this.#jobs.get(job) ?? { dueAt: first(), troubles: NONE };
    this.#jobs.set(job, known);
    return known.dueAt;
  }

  /** Sets the time of the next poll. */
  again(job: string, dueAt: number): void {
    this.#jobs.set(job, { troubles: NONE, ...this.#jobs.get(job), dueAt });
  }

  /** Notes a failed poll and sets the next; returns how many failed in a row. */
  countTrouble(job: string, what: PollTrouble, dueAt: number): number {
    const known = this.#jobs.get(job);
    const before = known?.troubles ?? NONE;
    const troubles = { ...before, [what]: before[what] + 1 };
    this.#jobs.set(job, { ...known, dueAt, troubles });
    return troubles[what];
  }

  /** The job was read; earlier failures of that kind were temporary. */
  wasRead(job: string): void {
    const known = this.#jobs.get(job);
    if (known === undefined) return;
    this.#jobs.set(job, { ...known, troubles: { ...known.troubles, read: 0 } });
  }

  /** The job was seen running at this age, ms; sets the next poll. */
  ran(job: string, ageMs: number, dueAt: number): void {
    this.again(job, dueAt);
    const known = this.#jobs.get(job);
    if (known !== undefined) this.#jobs.set(job, { ...known, ranAtAge: ageMs });
  }

  /**
   * The job was seen to have ended at this age, ms. Returns the span of ages in which it ended; undefined if that was
   * reported before.
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
