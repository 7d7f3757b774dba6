import { createHash } from 'node:crypto';
import { Refusal } from './answer.ts';

/** What can be changed while the simulator runs. */
export interface AccountSettings {
  token: string;
  /** API credits left. */
  credits: number;
  /** Paid requests taken per second; null: any number. */
  rate: number | null;
  /** Unfinished jobs and synchronous requests at once; null: any number. */
  concurrency: number | null;
}

/** The one account of the simulator: token, balance, limits. */
export class Account {
  readonly settings: AccountSettings;
  webhookUrl: string | null = null;
  #tokens: number;
  #filledAt = performance.now();

  constructor(settings: AccountSettings) {
    this.settings = settings;
    this.#tokens = settings.rate ?? 0;
  }

  /** Account id: follows from the token, so that it stays the same over restarts and differs between accounts. */
  get userId(): string {
    return `user_${createHash('sha256').update(this.settings.token).digest('hex').slice(0, 16)}`;
  }

  /** Throws unless the `Authorization` header carries the token. */
  checkToken(header: string | undefined): void {
    if (header !== `Bearer ${this.settings.token}`) {
      throw new Refusal(401, 'ERR_UNAUTHORIZED', 'The API token is missing or not valid');
    }
  }

  /**
   * Throws where a paid request would break a limit: 429 for rate and concurrency, 402 for the balance. The rate is a bucket that
   * holds what flows in within a second.
   */
  admit(cost: number, unfinished: number): void {
    const { rate, concurrency, credits } = this.settings;
    const now = performance.now();
    if (rate !== null) {
      this.#tokens = Math.min(Math.max(rate, 1), this.#tokens + ((now - this.#filledAt) / 1000) * rate);
      this.#filledAt = now;
      if (this.#tokens < 1) {
        const seconds = Math.max(1, Math.ceil((1 - this.#tokens) / rate));
        throw new Refusal(429, 'ERR_RATE_LIMITED', 'Too many requests', String(seconds));
      }
    }
    if (concurrency !== null && unfinished >= concurrency) {
      throw new Refusal(429, 'ERR_RATE_LIMITED', 'Too many unfinished jobs', '1');
    }
    if (cost > credits) {
      throw new Refusal(402, 'ERR_INSUFFICIENT_CREDITS', `This request needs ${cost} credits and ${credits} are left`);
    }
    if (rate !== null) this.#tokens -= 1;
  }

  /** Takes credits off the balance. */
  charge(credits: number): void {
    this.settings.credits -= credits;
  }
}
