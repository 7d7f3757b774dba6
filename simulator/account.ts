import { createHash } from 'node:crypto';
import { refusalOf } from './refusals.ts';

/** Settings that can change while the simulator runs. */
export interface AccountSettings {
  token: string;
  /** API credits left. */
  credits: number;
}

/** The one account of the simulator: token and balance. */
export class Account {
  readonly settings: AccountSettings;
  /** URL that receives job events; null for none. */
  webhookUrl: string | null = null;
  displayName = '';
  newsletter = false;

  constructor(settings: AccountSettings) {
    this.settings = settings;
  }

  /**
   * Account id, derived from the token up to its first dot, so that it survives restarts and differs between accounts,
   * and an account can have a new token.
   */
  get userId(): string {
    const [whose = ''] = this.settings.token.split('.');
    return `user_${createHash('sha256').update(whose).digest('hex').slice(0, 16)}`;
  }

  /** Throws unless the `Authorization` header carries the token. */
  checkToken(header: string | undefined): void {
    if (header !== `Bearer ${this.settings.token}`) throw refusalOf(401);
  }

  /** Throws a 402 if the balance does not cover a request. */
  checkBalance(cost: number): void {
    const { credits } = this.settings;
    if (cost > credits) throw refusalOf(402, `This request needs ${cost} credits and ${credits} are left`);
  }

  /** Takes credits from the balance. */
  charge(credits: number): void {
    this.settings.credits -= credits;
  }
}
