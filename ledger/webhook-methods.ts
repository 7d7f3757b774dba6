import type { AccountKey, WebhookRecord } from './webhooks.ts';

/** Who uses the webhook of an account. It has only one, so one process does. Part of {@link Ledger}. */
export interface WebhookMethods {
  /**
   * Takes the webhook of an account for a worker process, unless one that lives has it. Returns the record as it was
   * before: of this process, of a dead one, or none; `taken`: another process has it.
   */
  takeWebhook(
    account: AccountKey,
    owner: string,
  ): Promise<{ readonly type: 'mine'; readonly before: WebhookRecord | undefined } | { readonly type: 'taken' }>;
  /**
   * Records what its owner is about to set, before it does. False, without effect, if another process has taken it: that
   * one's record says what to put back.
   */
  noteWebhook(account: AccountKey, owner: string, set: WebhookRecord['set']): Promise<boolean>;
  /** Ends its use by this process, but keeps the record of what is to be put back, for any other one. */
  releaseWebhook(account: AccountKey, owner: string): Promise<void>;
  /** Ends its use by this process. */
  leaveWebhook(account: AccountKey, owner: string): Promise<void>;
  /** Who uses it, and whether that process is alive, as far as is known. */
  webhookOf(account: AccountKey): Promise<(WebhookRecord & { readonly isAlive: boolean }) | undefined>;
}
