import { defined } from '../../contract/defined.ts';
import type { WebhookBefore } from '../../ledger/webhooks/webhooks.ts';
import type { FieldResult } from '../account/account-functions.ts';

/** How webhooks reach a process. */
export interface WebhookOptions {
  /** Public http(s) URL without query that leads to the port; a secret last segment is appended. */
  readonly url: string;
  /** Address to listen on. Default: `127.0.0.1`. */
  readonly host?: string;
  /** Port that the URL leads to. Default: 8765. */
  readonly port?: number;
  /** The webhook URL to restore in the end. Default: the one that the profile shows beforehand. */
  readonly restore?: string;
}

/** Webhook options with all defaults filled in. */
export type WebhookSettings = Required<Omit<WebhookOptions, 'restore'>> & Pick<WebhookOptions, 'restore'>;

/** Default listening address. */
export const WEBHOOK_DEFAULTS = { host: '127.0.0.1', port: 8765 } as const;

/** An invalid webhook option. */
export interface WebhookFault {
  readonly option: keyof WebhookOptions;
  readonly expected: string;
}

/** Checks webhook options. Returns them with the defaults filled in, or the first fault. */
export function readWebhookOptions(options: WebhookOptions): WebhookSettings | WebhookFault {
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

/** Returns whether a URL is http or https, without a user name or password. */
function isAddress(url: string): boolean {
  if (!URL.canParse(url)) return false;
  const { protocol, username, password } = new URL(url);
  return /^https?:$/.test(protocol) && username === '' && password === '';
}

/** Result of an attempt to take the account's webhook. */
export type AttemptResult =
  /** The webhook now leads here. `result`: whether the profile shows it. */
  | {
      readonly type: 'set';
      readonly to: string;
      readonly port: number;
      readonly before: WebhookBefore;
      readonly result: FieldResult;
    }
  /** It was not set, so jobs are polled. `isFinal`: the API rejects the URL; otherwise it is retried. */
  | { readonly type: 'not-taken'; readonly why: string; readonly isFinal: boolean }
  /** Another process uses it; jobs are polled until that process ends. */
  | { readonly type: 'in-use' }
  /** A voxbatch with other records has set it; jobs are polled until that one restores the earlier URL. */
  | { readonly type: 'foreign'; readonly to: string };

/**
 * Result of restoring an account's webhook. `back`: the earlier URL, or none, is restored. `others`: somebody else has
 * changed it, so theirs stays. `unknown`: the earlier URL is unknown, so ours stays. `stays`: the API rejects the
 * earlier URL. `away`: the API gave no usable answer, or refused for another reason (rate limit, token, credits), and
 * it is retried.
 */
export type RestoreResult = 'back' | 'others' | 'unknown' | 'stays' | 'away';

/** Events of the account's webhook, for display. */
export type WebhookEvent =
  | AttemptResult
  /** The listener has died; jobs are polled. */
  | { readonly type: 'deaf' }
  /** It was restored, or not. `isLeftover`: a dead process had set it. */
  | {
      readonly type: 'over';
      readonly end: RestoreResult;
      readonly before: WebhookBefore;
      readonly isLeftover: boolean;
    };

/** Delay before retrying a webhook that another process uses, ms. */
const RETRY_IN_USE_MS = 5_000;
/** Delay before retrying after a temporary refusal, ms. Each retry costs the account an update and reads. */
const RETRY_REFUSED_MS = 60_000;

/** Returns the delay before the next attempt to take the webhook, ms; undefined means no retry. */
export function pauseAfter(event: AttemptResult): number | undefined {
  switch (event.type) {
    case 'set':
      return undefined;
    case 'in-use':
      return RETRY_IN_USE_MS;
    case 'foreign':
      return RETRY_REFUSED_MS;
    case 'not-taken':
      return event.isFinal ? undefined : RETRY_REFUSED_MS;
  }
}
