/**
 * Counts the seconds of a thread's jobs that have a deadline. One timer serves all of them, so a job costs next to
 * nothing; and a process that was stopped or held up counts no more than a second for that.
 */
export class JobClock {
  readonly #secondMs: number;
  readonly #onOverdue: (seconds: number) => void;
  /** By the job's number: its deadline, and when it is, in seconds of this clock. */
  readonly #jobs = new Map<number, { readonly seconds: number; readonly dueAt: number }>();
  #now = 0;
  #isOpen = false;
  #timer: NodeJS.Timeout | undefined;

  /**
   * @param secondMs how long a second is, ms
   * @param onOverdue called with the deadline of the first job that is past it, in seconds; no job is watched from then on
   */
  constructor(secondMs: number, onOverdue: (seconds: number) => void) {
    this.#secondMs = secondMs;
    this.#onOverdue = onOverdue;
  }

  /** Begins to count: the time that a thread's code takes to load is not its jobs'. */
  open(): void {
    this.#isOpen = true;
  }

  add(job: number, seconds: number): void {
    this.#jobs.set(job, { seconds, dueAt: this.#now + seconds });
    this.#timer ??= setInterval(() => {
      this.#countSecond();
    }, this.#secondMs).unref();
  }

  remove(job: number): void {
    this.#jobs.delete(job);
  }

  stop(): void {
    clearInterval(this.#timer);
    this.#timer = undefined;
    this.#jobs.clear();
  }

  #countSecond(): void {
    if (this.#jobs.size === 0) this.stop();
    if (!this.#isOpen) return;
    this.#now += 1;
    for (const { seconds, dueAt } of this.#jobs.values()) {
      if (this.#now <= dueAt) continue;
      this.stop();
      this.#onOverdue(seconds);
      return;
    }
  }
}

/** What a job may take however little it reads, s: a disk that is busy can take this long for one sync. */
const BASE_SECONDS = 30;
/** What the slowest disk or processor that we expect reads and checks in a second, bytes. */
const SLOW_BYTES = 1_000_000;

/** How long a job may take that reads so many bytes, s. */
export function deadlineSeconds(bytes: number): number {
  return BASE_SECONDS + Math.floor(bytes / SLOW_BYTES);
}
