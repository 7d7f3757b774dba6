/**
 * Watches the deadlines of a thread's jobs. One timer serves all of them, so a job costs next to nothing, and a
 * suspended or blocked process counts as at most one second.
 */
export class JobClock {
  readonly #secondMs: number;
  readonly #onOverdue: (seconds: number) => void;
  /** By job number: its time limit, and when it is due in seconds of this clock. */
  readonly #jobs = new Map<number, { readonly seconds: number; readonly dueAt: number }>();
  #now = 0;
  #isOpen = false;
  #timer: NodeJS.Timeout | undefined;

  /**
   * @param secondMs length of a second, in ms
   * @param onOverdue called once with the time limit, in seconds, of the first overdue job; the clock then stops
   */
  constructor(secondMs: number, onOverdue: (seconds: number) => void) {
    this.#secondMs = secondMs;
    this.#onOverdue = onOverdue;
  }

  /** Starts counting. The time that a thread takes to load its code does not count. */
  open(): void {
    this.#isOpen = true;
  }

  /** Watches a job, whose time limit begins now. */
  add(job: number, seconds: number): void {
    this.#jobs.set(job, { seconds, dueAt: this.#now + seconds });
    this.#timer ??= setInterval(() => {
      this.#countSecond();
    }, this.#secondMs).unref();
  }

  /** Stops watching a job that has ended. */
  remove(job: number): void {
    this.#jobs.delete(job);
  }

  /** Stops watching all jobs. */
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

/** Base time limit of any job, in seconds: a busy disk can take this long for a single sync. */
const BASE_SECONDS = 30;
/** Bytes per second that the slowest expected disk or processor reads and checks. */
const SLOW_BYTES = 1_000_000;

/** Time limit in seconds for a job that reads this many bytes. */
export function deadlineSeconds(bytes: number): number {
  return BASE_SECONDS + Math.floor(bytes / SLOW_BYTES);
}
