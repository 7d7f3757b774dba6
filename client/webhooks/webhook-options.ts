import { defined } from '../../contract/defined.ts';

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
