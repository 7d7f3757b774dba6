/** An account of an API. */
export interface AccountKey {
  readonly apiUrl: string;
  readonly account: string;
}

/** The address of an account's webhooks before we changed it; `unknown`: the API did not show it. */
export type WebhookBefore = { readonly type: 'known'; readonly url: string | null } | { readonly type: 'unknown' };

/** Who uses the webhook of an account. */
export interface WebhookRecord extends AccountKey {
  /** A worker process, see {@link LaneMethods}; empty if it has released it. */
  readonly owner: string;
  /**
   * The address that it sets, and what was there before; null: nothing is set yet. `earlier`: addresses of processes that
   * died, which may still be set.
   */
  readonly set: {
    readonly address: string;
    readonly before: WebhookBefore;
    readonly earlier: readonly string[];
  } | null;
}

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
