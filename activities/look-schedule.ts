/**
 * What looks at a job can come to that is no help. `read`: the job itself could not be had; `result`: it is completed, and its
 * result could not be had. Each may happen a few times in a row.
 */
export type LookTrouble = 'read' | 'result';

interface LookedAt {
  readonly dueAt: number;
  readonly troubles: Readonly<Record<LookTrouble, number>>;
}

const NONE: LookedAt['troubles'] = { read: 0, result: 0 };

/**
 * When each job is looked at next, in this process, on its monotonic clock. A slice of await-and-fetch ends long before most jobs
 * do; this remembers their turns from slice to slice. Losing it with the process costs a free read per job.
 */
export class LookSchedule {
  readonly #jobs = new Map<string, LookedAt>();

  /** Time of the next look; `first` if the job was never asked about here. */
  dueAt(job: string, first: () => number): number {
    const known = this.#jobs.get(job) ?? { dueAt: first(), troubles: NONE };
    this.#jobs.set(job, known);
    return known.dueAt;
  }

  /** Notes the next look. */
  again(job: string, dueAt: number): void {
    this.#jobs.set(job, { dueAt, troubles: this.#jobs.get(job)?.troubles ?? NONE });
  }

  /** Notes one more look that was no help, and the next one; returns how many there were in a row. */
  troubled(job: string, what: LookTrouble, dueAt: number): number {
    const before = this.#jobs.get(job)?.troubles ?? NONE;
    const troubles = { ...before, [what]: before[what] + 1 };
    this.#jobs.set(job, { dueAt, troubles });
    return troubles[what];
  }

  /** The job was read; its earlier troubles of that kind were passing ones. */
  wasRead(job: string): void {
    const known = this.#jobs.get(job);
    if (known !== undefined) this.#jobs.set(job, { ...known, troubles: { ...known.troubles, read: 0 } });
  }

  /** Forgets a job that has ended. */
  forget(job: string): void {
    this.#jobs.delete(job);
  }
}
