import { refusalOf } from './refusals.ts';

/** What can be changed while the simulator runs. */
export interface LimitSettings {
  /** Paid requests taken per second; null: any number. */
  rate: number | null;
  /** Unfinished jobs and synchronous requests at once; null: any number. */
  concurrency: number | null;
}

/** The limits of the account: when the simulator answers 429, and what it says then. */
export class Limits {
  readonly settings: LimitSettings;
  /** The rate is a bucket that holds what flows in within a second. */
  #tokens: number;
  #filledAt = performance.now();

  constructor(settings: LimitSettings) {
    this.settings = settings;
    this.#tokens = settings.rate ?? 0;
  }

  /** Throws a 429 where one more paid request would break a limit. `countUnfinished`: jobs and synchronous requests under way. */
  check(countUnfinished: () => number): void {
    const { rate, concurrency } = this.settings;
    if (rate !== null) this.#checkRate(rate);
    if (concurrency !== null && countUnfinished() >= concurrency) throw refusalOf(429, 'Too many unfinished jobs', '1');
  }

  /** A paid request was taken. */
  use(): void {
    if (this.settings.rate !== null) this.#tokens -= 1;
  }

  #checkRate(rate: number): void {
    const now = performance.now();
    this.#tokens = Math.min(Math.max(rate, 1), this.#tokens + ((now - this.#filledAt) / 1000) * rate);
    this.#filledAt = now;
    if (this.#tokens >= 1) return;
    const seconds = Math.max(1, Math.ceil((1 - this.#tokens) / rate));
    throw refusalOf(429, undefined, String(seconds));
  }
}
