import { refusalOf } from './refusals.ts';

/** Settings that can change while the simulator runs. */
export interface LimitSettings {
  /** Max paid requests accepted per second; null for no limit. */
  rate: number | null;
  /** Max unfinished jobs and running synchronous requests; null for no limit. */
  concurrency: number | null;
}

/** The account's limits: when the simulator answers 429, and with which words. */
export class Limits {
  readonly settings: LimitSettings;
  /** A token bucket that holds one second's worth. */
  #tokens: number;
  #filledAt = performance.now();

  constructor(settings: LimitSettings) {
    this.settings = settings;
    this.#tokens = settings.rate ?? 0;
  }

  /**
   * Throws a 429 if one more paid request would exceed a limit. `countUnfinished`: jobs and running synchronous
   * requests.
   */
  check(countUnfinished: () => number): void {
    const { rate, concurrency } = this.settings;
    if (rate !== null) this.#checkRate(rate);
    if (concurrency !== null && countUnfinished() >= concurrency) throw refusalOf(429, 'Too many unfinished jobs', '1');
  }

  /** Records an accepted paid request. */
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
