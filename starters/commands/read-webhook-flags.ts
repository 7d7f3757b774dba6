import { readWebhookOptions, type WebhookSettings } from '../../client/webhooks/webhook-options.ts';
import { defined } from '../../contract/defined.ts';
import { usageError } from '../exit-error.ts';
import { ownEnvironment } from '../own-environment.ts';
import type { Flags } from './flags.ts';

/**
 * Alternative to `--webhook-restore`: a webhook URL's path is a secret, and any user of the machine can see command
 * lines.
 */
const RESTORE_VARIABLE = 'VOXBATCH_WEBHOOK_RESTORE';

const FLAGS = { url: '--webhook', host: '--webhook-host', port: '--webhook-port', restore: '--webhook-restore' };

/** Reads the webhook options; undefined without `--webhook`. Throws {@link ExitError} `usage`. */
export function readWebhook(
  flags: Pick<Flags, 'webhook' | 'webhookPort' | 'webhookHost' | 'webhookRestore'>,
  env: NodeJS.ProcessEnv = ownEnvironment(),
): WebhookSettings | undefined {
  const { webhook: url, webhookPort: port, webhookHost: host, webhookRestore } = flags;
  if (url === undefined) {
    if ((port ?? host ?? webhookRestore) === undefined) return undefined;
    throw usageError('--webhook-port, --webhook-host and --webhook-restore need --webhook.');
  }
  // An empty variable counts as not set.
  const variable = env['VOXBATCH_WEBHOOK_RESTORE'];
  const restore = webhookRestore ?? (variable === '' ? undefined : variable);
  const options = readWebhookOptions({ url, ...defined({ port, host, restore }) });
  if (!('expected' in options)) return options;
  const isVariable = options.option === 'restore' && webhookRestore === undefined;
  const what = isVariable ? RESTORE_VARIABLE : FLAGS[options.option];
  throw usageError(`${what}: expected ${options.expected}.`);
}

/** Returns the webhook flags for another command. The restore URL is secret, so {@link webhookEnv} passes it. */
export function webhookWords(webhook: WebhookSettings | undefined): readonly string[] {
  if (webhook === undefined) return [];
  const { url, host, port } = webhook;
  return ['--webhook', url, '--webhook-port', String(port), '--webhook-host', host];
}

/** Returns the environment that goes with {@link webhookWords}. */
export function webhookEnv(webhook: WebhookSettings | undefined): NodeJS.ProcessEnv {
  return { [RESTORE_VARIABLE]: webhook?.restore };
}
