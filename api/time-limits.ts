/** Time limits for the parts of an exchange, ms. */
export interface TimeLimits {
  /** From the start to the connection, including DNS and TLS. */
  readonly connectTimeoutMs: number;
  /** From the start to the end of the answer's headers. */
  readonly headTimeoutMs: number;
  /** From the start to the end of the answer's body. */
  readonly totalTimeoutMs: number;
  /** Extra time for each KiB of the body. Default: none. */
  readonly msPerKib?: number;
  /** Max silence between two chunks of the body. */
  readonly idleTimeoutMs: number;
}

/** How often the process records that it is running while connecting, in ms. */
const SEEN_EVERY_MS = 1_000;
/**
 * A longer gap, in ms, means that the process was suspended. As in `policy/pacing/send-deadline.ts`, well below a
 * heartbeat timeout.
 */
export const SUSPENDED_MS = 5_000;

/**
 * Enforces all time limits of one request with one timer. The timer never sleeps past a limit that may begin meanwhile,
 * and checks what is due when it wakes. So most requests cost one timer, however many pieces their answers have.
 */
export class Watch {
  readonly #limits: TimeLimits;
  readonly #onTimeout: (why: string) => void;
  readonly #startedAt = performance.now();
  /** When this process last ran, by both clocks: one can be set back, the other stops while the machine sleeps. */
  #seenAt = { wall: Date.now(), monotonic: this.#startedAt };
  #wasSuspended = false;
  #stage: 'connecting' | 'heading' | 'reading' = 'connecting';
  /** Start of the current wait for a piece of the body; infinite if nothing is waiting. */
  #waitingSince = Infinity;
  /** Extra time earned by the bytes received so far. */
  #gained = 0;
  #timer: NodeJS.Timeout | undefined;

  /** @param onTimeout called once with the part that was late. */
  constructor(limits: TimeLimits, onTimeout: (why: string) => void) {
    this.#limits = limits;
    this.#onTimeout = onTimeout;
    this.#sleep(this.#startedAt);
  }

  /** Call this once connected. */
  connected(): void {
    this.#see();
    if (this.#stage === 'connecting') this.#stage = 'heading';
  }

  /** True if the process was stopped or the machine slept while connecting. */
  get wasSuspended(): boolean {
    return this.#wasSuspended;
  }

  /** Call this once the answer's headers have arrived. */
  headersReceived(): void {
    this.#stage = 'reading';
  }

  /** Starts the wait for the next piece of the body. */
  listen(): void {
    this.#waitingSince = performance.now();
  }

  /** Records received bytes of the body, which extend the total limit by `msPerKib`. */
  received(bytes: number): void {
    this.#gained += (bytes / 1024) * (this.#limits.msPerKib ?? 0);
  }

  /** Suspends the idle timeout, for example while the reader writes to a slow disk. */
  pause(): void {
    this.#waitingSince = Infinity;
  }

  /** Ends the exchange. */
  stop(): void {
    clearTimeout(this.#timer);
  }

  #sleep(now: number): void {
    const maxMs = this.#stage === 'connecting' ? SEEN_EVERY_MS : this.#limits.idleTimeoutMs;
    const ms = Math.min(this.#dueAt() - now, maxMs);
    this.#timer = setTimeout(() => {
      if (this.#stage === 'connecting') this.#see();
      const woken = performance.now();
      if (this.#dueAt() <= woken) this.#onTimeout(this.#timeoutMessage(woken));
      else this.#sleep(woken);
    }, Math.ceil(ms));
  }

  #see(): void {
    const [wall, monotonic] = [Date.now(), performance.now()];
    const gap = Math.max(Math.abs(wall - this.#seenAt.wall), monotonic - this.#seenAt.monotonic);
    if (gap > SUSPENDED_MS) this.#wasSuspended = true;
    this.#seenAt = { wall, monotonic };
  }

  #dueAt(): number {
    const { connectTimeoutMs, headTimeoutMs, totalTimeoutMs, idleTimeoutMs } = this.#limits;
    const connect = this.#stage === 'connecting' ? connectTimeoutMs : Infinity;
    const head = this.#stage === 'reading' ? Infinity : headTimeoutMs;
    return Math.min(
      this.#startedAt + Math.min(connect, head, totalTimeoutMs + this.#gained),
      this.#waitingSince + idleTimeoutMs,
    );
  }

  #timeoutMessage(now: number): string {
    const { connectTimeoutMs, headTimeoutMs, totalTimeoutMs, idleTimeoutMs } = this.#limits;
    const seconds = (ms: number): string => `${ms / 1000} s`;
    if (this.#waitingSince + idleTimeoutMs <= now) return `no byte of the answer came for ${seconds(idleTimeoutMs)}`;
    if (this.#stage === 'connecting') {
      return `time-out: no connection within ${seconds(Math.min(connectTimeoutMs, headTimeoutMs, totalTimeoutMs))}`;
    }
    return this.#stage === 'heading'
      ? `time-out: no answer within ${seconds(Math.min(headTimeoutMs, totalTimeoutMs))}`
      : `time-out: no whole answer within ${seconds(Math.round(totalTimeoutMs + this.#gained))}`;
  }
}
