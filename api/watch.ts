/** How long the parts of an exchange may take, in ms. */
export interface TimeLimits {
  /** From the start to the connection, DNS and TLS included. */
  readonly connectTimeoutMs: number;
  /** From the start to the end of the answer's head. */
  readonly headTimeoutMs: number;
  /** From the start to the end of the answer's body. */
  readonly totalTimeoutMs: number;
  /** What each KiB of the body adds to that; left out: nothing. */
  readonly msPerKib?: number;
  /** Longest silence between two pieces of the body. */
  readonly idleTimeoutMs: number;
}

/** While a connection is made, it is noted so often that the process is at work, ms. */
const SEEN_EVERY_MS = 1_000;
/** A process that was not seen for so long stood still, ms: as in `policy/send-deadline.ts`, well below a heartbeat time-out. */
export const STILL_MS = 5_000;

/**
 * Keeps all time limits of one request with one timer. The timer never sleeps past a limit that may begin meanwhile, and looks what
 * is due when it wakes. So most requests cost one timer, however many pieces their answers come in.
 */
export class Watch {
  readonly #limits: TimeLimits;
  readonly #onLate: (why: string) => void;
  readonly #startedAt = performance.now();
  /** When this process was last seen to be at work, by either clock: one can be set back, the other stand still while a machine sleeps. */
  #seenAt = { wall: Date.now(), monotonic: this.#startedAt };
  #stoodStill = false;
  #stage: 'connecting' | 'heading' | 'reading' = 'connecting';
  /** Since when somebody waits for a piece of the body; infinite while nobody does. */
  #waitingSince = Infinity;
  /** Time that the body has gained by what came of it. */
  #gained = 0;
  #timer: NodeJS.Timeout | undefined;

  /** @param onLate called once, with what did not come in time. */
  constructor(limits: TimeLimits, onLate: (why: string) => void) {
    this.#limits = limits;
    this.#onLate = onLate;
    this.#sleep(this.#startedAt);
  }

  /** The connection is there. */
  connected(): void {
    this.#see();
    if (this.#stage === 'connecting') this.#stage = 'heading';
  }

  /** True if the process was stopped, or the machine slept, while the connection was made. */
  get stoodStill(): boolean {
    return this.#stoodStill;
  }

  /** The head of the answer is there. */
  headed(): void {
    this.#stage = 'reading';
  }

  /** Somebody waits for the next piece of the body from now on. */
  listen(): void {
    this.#waitingSince = performance.now();
  }

  /** So many bytes of the body came. */
  came(bytes: number): void {
    this.#gained += (bytes / 1024) * (this.#limits.msPerKib ?? 0);
  }

  /** Nobody waits for the body now, a slow disk for example: silence does not count. */
  rest(): void {
    this.#waitingSince = Infinity;
  }

  /** The exchange is over. */
  stop(): void {
    clearTimeout(this.#timer);
  }

  #sleep(now: number): void {
    const most = this.#stage === 'connecting' ? SEEN_EVERY_MS : this.#limits.idleTimeoutMs;
    const ms = Math.min(this.#dueAt() - now, most);
    this.#timer = setTimeout(() => {
      if (this.#stage === 'connecting') this.#see();
      const woken = performance.now();
      if (this.#dueAt() <= woken) this.#onLate(this.#whatIsLate(woken));
      else this.#sleep(woken);
    }, Math.ceil(ms));
  }

  #see(): void {
    const [wall, monotonic] = [Date.now(), performance.now()];
    const gap = Math.max(Math.abs(wall - this.#seenAt.wall), monotonic - this.#seenAt.monotonic);
    if (gap > STILL_MS) this.#stoodStill = true;
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

  #whatIsLate(now: number): string {
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
