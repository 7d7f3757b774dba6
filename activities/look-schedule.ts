/**
 * When each job is looked at next, in this process. A slice of await-and-fetch ends long before most jobs do; this
 * remembers their turns from slice to slice. Losing it with the process costs a free read per job.
 */
export class LookSchedule {
  readonly #jobs = new Map<string, { dueAt: number; troubles: number }>();

  /** Time of the next look, ms; `first` if the job was never looked at here. */
  dueAt(job: string, first: number): number {
    return this.#jobs.get(job)?.dueAt ?? first;
  }

  /** Notes the next look. */
  again(job: string, dueAt: number): void {
    this.#jobs.set(job, { dueAt, troubles: this.#jobs.get(job)?.troubles ?? 0 });
  }

  /** Notes one more result that could not be had, and the next look; returns how many there were. */
  troubled(job: string, dueAt: number): number {
    const troubles = (this.#jobs.get(job)?.troubles ?? 0) + 1;
    this.#jobs.set(job, { dueAt, troubles });
    return troubles;
  }

  /** Forgets a job that has ended. */
  forget(job: string): void {
    this.#jobs.delete(job);
  }
}
