import { defined } from '../../contract/defined.ts';
import type { WebhookBefore } from '../../ledger/webhooks/webhooks.ts';
import type { FieldResult } from '../account/account-functions.ts';

/** How webhooks reach a process. */
export interface WebhookOptions {
  /** Public http(s) address, without query, that leads to the port; a secret last segment is added. */
  readonly url: string;
  /** Address to listen on. Default `127.0.0.1`. */
  readonly host?: string;
  /** Port that the address leads to. Default 8765. */
  readonly port?: number;
  /** The account's webhook to put back in the end. Default: the one that the profile shows before. */
  readonly restore?: string;
}

/** The same with all defaults filled in. */
export type WebhookWish = Required<Omit<WebhookOptions, 'restore'>> & Pick<WebhookOptions, 'restore'>;

/** Where webhooks are listened for, unless the user says otherwise. */
export const WEBHOOK_DEFAULTS = { host: '127.0.0.1', port: 8765 } as const;

/** An option of webhooks that cannot be. */
export interface WebhookFault {
  readonly option: keyof WebhookOptions;
  readonly expected: string;
}

/** Fills in the defaults, or says what is wrong. */
export function webhookWish(options: WebhookOptions): WebhookWish | WebhookFault {
  const { url, host = WEBHOOK_DEFAULTS.host, port = WEBHOOK_DEFAULTS.port, restore } = options;
  if (!isAddress(url) || /[?#]/.test(url)) {
    return {
      option: 'url',
      expected: 'a public http or https URL without query, as in https://example.org/hooks',
    };
  }
  if (!Number.isInteger(port) || port < 1 || port > 65_535)
    return { option: 'port', expected: 'a port from 1 to 65535' };
  if (restore !== undefined && !isAddress(restore)) return { option: 'restore', expected: 'an http or https URL' };
  return { url, host, port, ...defined({ restore }) };
}

function isAddress(url: string): boolean {
  if (!URL.canParse(url)) return false;
  const { protocol, username, password } = new URL(url);
  return /^https?:$/.test(protocol) && username === '' && password === '';
}

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

/**
 * What became of an account's webhook once nobody here used it any more. `back`: the earlier address, or none, is there
 * again. `others`: somebody else has changed it, so it stays. `unknown`: nobody knows what was there, so ours stays.
 * `stays`: the API does not take the earlier one. `away`: the API gave no usable answer, or said no for another reason (too
 * many requests, the token, the credits), and it is tried again.
 */
export type PutBack = 'back' | 'others' | 'unknown' | 'stays' | 'away';

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
