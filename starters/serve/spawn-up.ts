import { fileURLToPath } from 'node:url';
import type { ConnectedApi } from '../../client/connect-api.ts';
import type { Settings } from '../../client/settings.ts';
import type { WebhookSettings } from '../../client/webhooks/webhook-options.ts';
import { startUp } from '../../client/work/up.ts';
import { serveMediaOf } from '../../contract/serve-media.ts';
import { formatListenAddress } from '../../contract/listen-address.ts';
import { otlpEnvironment } from '../commands/read-metrics-flags.ts';
import { serveMediaWords } from '../commands/read-serve-media-flags.ts';
import { webhookEnv, webhookWords } from '../commands/read-webhook-flags.ts';
import { readToken } from '../connect/api-token.ts';

/** The batch for which `run --detach` starts `up`. */
interface DetachedBatch {
  readonly batch: string;
  /** The absolute path of its out folder. */
  readonly out: string;
  readonly webhook?: WebhookSettings | undefined;
}

/** Returns the absolute path of `cli.js`, or of `cli.ts` when running from source. */
export function pathOfCli(): string {
  return fileURLToPath(new URL(import.meta.url.endsWith('.ts') ? '../cli.ts' : '../cli.js', import.meta.url));
}

/**
 * Starts `voxbatch up --until-idle` in the background: it works until no batch of this account is open, and writes the
 * batch's files to `out` when that is finished.
 */
export function spawnUp(settings: Settings, open: ConnectedApi, { batch, out, webhook }: DetachedBatch): void {
  const { metrics } = settings;
  startUp(settings, {
    cli: pathOfCli(),
    args: [
      ...['--until-idle', '--api-url', open.api.baseUrl, '--batch', batch, '--out', out],
      ...serveMediaWords(serveMediaOf(settings.config)),
      ...webhookWords(webhook),
      ...(metrics?.type === 'port' ? ['--metrics-port', formatListenAddress(metrics)] : []),
    ],
    secrets: {
      ...otlpEnvironment(settings.env),
      // Read now: a token file may be gone when `up` starts.
      VOXBATCH_API_TOKEN: readToken(settings),
      VOXBATCH_NOTIFY_SECRET: settings.env['VOXBATCH_NOTIFY_SECRET'],
      ...webhookEnv(webhook),
    },
  });
}
