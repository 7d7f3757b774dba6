import type { WebhookBefore } from '../../ledger/webhooks/webhooks.ts';
import type { FieldResult } from '../account/change-profile.ts';
import type { PutBack } from './put-back.ts';

/** What came of an attempt to use the account's webhook. */
export type AttemptNews =
  /** It leads here now. `result`: whether the profile shows it. */
  | {
      readonly type: 'set';
      readonly to: string;
      readonly port: number;
      readonly before: WebhookBefore;
      readonly result: FieldResult;
    }
  /** It was not set, so jobs are polled. `isFinal`: the API does not take the address; else it is tried again. */
  | { readonly type: 'not-taken'; readonly why: string; readonly isFinal: boolean }
  /** Another process uses it: jobs are polled until that one ends. */
  | { readonly type: 'in-use' }
  /** A voxbatch with other records has set it: jobs are polled until that one has put back what was there. */
  | { readonly type: 'foreign'; readonly to: string };

/** What happens to the account's webhook, for people. */
export type WebhookNews =
  | AttemptNews
  /** Nobody listens any more: jobs are polled. */
  | { readonly type: 'deaf' }
  /** It was put back, or not. `isLeftover`: a process that died had set it. */
  | { readonly type: 'over'; readonly end: PutBack; readonly before: WebhookBefore; readonly isLeftover: boolean };

/** How soon a webhook is asked for again that another process uses, ms. */
const ASK_EVERY_MS = 5_000;
/** How soon what the API refused for the moment is tried again, ms; it costs the account an update and reads. */
const TRY_EVERY_MS = 60_000;

/** When to try again to use the webhook after this, ms; undefined: not at all. */
export function pauseAfter(news: AttemptNews): number | undefined {
  switch (news.type) {
    case 'set':
      return undefined;
    case 'in-use':
      return ASK_EVERY_MS;
    case 'foreign':
      return TRY_EVERY_MS;
    case 'not-taken':
      return news.isFinal ? undefined : TRY_EVERY_MS;
  }
}
