import type { Command } from 'commander';
import type { WebhookWish } from '../../client/webhooks/use-webhook.ts';
import { defined } from '../../contract/defined.ts';
import { usageError } from '../exit-error.ts';
import { wholeFrom } from './flag-values.ts';

/** Flags of commands that can be told by webhooks when jobs end. */
export interface WebhookFlags {
  /** Public address that leads to the port. */
  readonly webhook?: string;
  readonly webhookPort?: number;
  readonly webhookHost?: string;
  /** What to put back in the end. */
  readonly webhookRestore?: string;
}

/** Where webhooks are listened for, unless the user says otherwise. */
const DEFAULT = { host: '127.0.0.1', port: 8765 } as const;

/** Adds `--webhook` and what goes with it. */
export function addWebhookFlags(command: Command): Command {
  return command
    .option('--webhook <url>', "Set the account's webhook to a secret path below this public address while this runs")
    .option('--webhook-port <n>', `Port that the address leads to (default: ${String(DEFAULT.port)})`, wholeFrom(1))
    .option('--webhook-host <address>', `Address to listen on (default: ${DEFAULT.host})`)
    .option(
      '--webhook-restore <url>',
      'Webhook to put back in the end (default: the one that the profile shows before)',
    );
}

/** How webhooks reach this process; undefined without `--webhook`. Throws {@link ExitError} `usage`. */
export function readWebhook(flags: WebhookFlags): WebhookWish | undefined {
  const { webhook: url, webhookPort: port = DEFAULT.port, webhookHost: host = DEFAULT.host, webhookRestore } = flags;
  if (url === undefined) {
    const alone = ['webhookPort', 'webhookHost', 'webhookRestore'] as const;
    if (alone.some((name) => flags[name] !== undefined))
      throw usageError('--webhook-port, --webhook-host and --webhook-restore need --webhook.');
    return undefined;
  }
  if (!isAddress(url) || /[?#]/.test(url)) {
    throw usageError('--webhook: expected a public http or https URL without query, as in https://example.org/hooks.');
  }
  if (port > 65_535) throw usageError(`--webhook-port ${String(port)}: expected at most 65535.`);
  if (webhookRestore !== undefined && !isAddress(webhookRestore)) {
    throw usageError('--webhook-restore: expected an http or https URL.');
  }
  return { url, port, host, ...defined({ restore: webhookRestore }) };
}

function isAddress(url: string): boolean {
  if (!URL.canParse(url)) return false;
  const { protocol, username, password } = new URL(url);
  return /^https?:$/.test(protocol) && username === '' && password === '';
}

/** The same flags as words of a command line. */
export function webhookWords(wish: WebhookWish | undefined): readonly string[] {
  if (wish === undefined) return [];
  const { url, host, port, restore } = wish;
  const words = ['--webhook', url, '--webhook-port', String(port), '--webhook-host', host];
  return restore === undefined ? words : [...words, '--webhook-restore', restore];
}
