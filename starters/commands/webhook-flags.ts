import type { Command } from 'commander';
import { WEBHOOK_DEFAULTS, webhookWish, type WebhookWish } from '../../client/webhooks/webhook-options.ts';
import { defined } from '../../contract/defined.ts';
import { usageError } from '../exit-error.ts';
import { ownEnvironment } from '../own-environment.ts';
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

/** In the place of `--webhook-restore`: the path of an address is a secret, and any user of a machine sees command lines. */
const RESTORE_VARIABLE = 'VOXBATCH_WEBHOOK_RESTORE';

/** Adds `--webhook` and what goes with it. */
export function addWebhookFlags(command: Command): Command {
  const { host, port } = WEBHOOK_DEFAULTS;
  return command
    .option('--webhook <url>', "Set the account's webhook to a secret path below this public address while this runs")
    .option('--webhook-port <n>', `Port that the address leads to (default: ${String(port)})`, wholeFrom(1))
    .option('--webhook-host <address>', `Address to listen on (default: ${host})`)
    .option(
      '--webhook-restore <url>',
      `Webhook to put back in the end (default: ${RESTORE_VARIABLE}, else the one that the profile shows before)`,
    );
}

const FLAGS = { url: '--webhook', host: '--webhook-host', port: '--webhook-port', restore: '--webhook-restore' };

/** How webhooks reach this process; undefined without `--webhook`. Throws {@link ExitError} `usage`. */
export function readWebhook(flags: WebhookFlags, env: NodeJS.ProcessEnv = ownEnvironment()): WebhookWish | undefined {
  const { webhook: url, webhookPort: port, webhookHost: host, webhookRestore } = flags;
  if (url === undefined) {
    if ((port ?? host ?? webhookRestore) === undefined) return undefined;
    throw usageError('--webhook-port, --webhook-host and --webhook-restore need --webhook.');
  }
  // An empty variable is one that is not set.
  const variable = env['VOXBATCH_WEBHOOK_RESTORE'];
  const restore = webhookRestore ?? (variable === '' ? undefined : variable);
  const wish = webhookWish({ url, ...defined({ port, host, restore }) });
  if (!('expected' in wish)) return wish;
  const isVariable = wish.option === 'restore' && webhookRestore === undefined;
  const what = isVariable ? RESTORE_VARIABLE : FLAGS[wish.option];
  throw usageError(`${what}: expected ${wish.expected}.`);
}

/** The same flags as words of a command line, without what is a secret: that goes by {@link webhookEnv}. */
export function webhookWords(wish: WebhookWish | undefined): readonly string[] {
  if (wish === undefined) return [];
  const { url, host, port } = wish;
  return ['--webhook', url, '--webhook-port', String(port), '--webhook-host', host];
}

/** What goes with {@link webhookWords} in the environment. */
export function webhookEnv(wish: WebhookWish | undefined): NodeJS.ProcessEnv {
  return { [RESTORE_VARIABLE]: wish?.restore };
}
