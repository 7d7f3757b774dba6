import { fileURLToPath } from 'node:url';
import { HANDED_OVER } from '../../contract/own-secrets.ts';
import { PROXIES, startChild } from '../../embedded/child-process.ts';
import { pathsIn } from '../../embedded/home.ts';
import { openOwnLog } from '../../embedded/private-home.ts';
import type { OpenApi } from '../../client/open-api.ts';
import type { Settings } from '../../client/settings.ts';
import type { WebhookWish } from '../../client/webhooks/webhook-options.ts';
import { webhookEnv, webhookWords } from '../commands/webhook-flags.ts';
import { readToken } from '../connect/api-token.ts';

/**
 * What `up` is told of our settings by its environment: it works in the place of this command, so it needs the proxy with
 * its password, and the places of the records. The API's address goes to it as a flag, our secrets by its stdin. It is
 * embedded, so nothing that leads to a cluster is among them.
 */
const PASSES = [
  'VOXBATCH_CONFIG',
  'VOXBATCH_HOME',
  'VOXBATCH_LEDGER',
  'VOXBATCH_STORE',
  'VOXBATCH_TEMPORAL_CLI',
  'VOXBATCH_FFMPEG',
  HANDED_OVER,
  'TEMPORAL_CONFIG_FILE',
  'TEMPORAL_PROFILE',
  ...PROXIES,
];

/** A batch that `up` works on. */
interface DetachedBatch {
  readonly batch: string;
  readonly out: string;
  readonly webhook?: WebhookWish | undefined;
}

/**
 * Starts `voxbatch up` in the background: it keeps server and worker alive until no batch of this account is open, and writes the files
 * of the batch to `out` when that is finished. Our secrets go to it by its stdin, where the hooks that it runs cannot
 * read them; other programs' secrets do not go to it.
 */
export function spawnUp(settings: Settings, open: OpenApi, { batch, out, webhook }: DetachedBatch): void {
  const log = openOwnLog(pathsIn(settings.home).upLog);
  const cli = fileURLToPath(new URL(import.meta.url.endsWith('.ts') ? '../cli.ts' : '../cli.js', import.meta.url));
  const secrets = {
    // A token that came by a file is handed on as it was read: the file may be gone by then.
    VOXBATCH_API_TOKEN: readToken(settings),
    VOXBATCH_NOTIFY_SECRET: settings.env['VOXBATCH_NOTIFY_SECRET'],
    ...webhookEnv(webhook),
  };
  const child = startChild(
    process.execPath,
    [
      ...process.execArgv,
      cli,
      'up',
      '--until-idle',
      '--api-url',
      open.api.baseUrl,
      '--batch',
      batch,
      '--out',
      out,
      ...webhookWords(webhook),
    ],
    {
      detached: true,
      stdio: ['pipe', log, log],
      env: { ...settings.env, [HANDED_OVER]: '1' },
      passes: PASSES,
    },
  );
  // It may end at once; its log says why.
  child.stdin?.on('error', () => undefined);
  child.stdin?.end(JSON.stringify(secrets));
  child.unref();
}
