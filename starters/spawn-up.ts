import { spawn } from 'node:child_process';
import { mkdirSync, openSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { OpenApi } from './open-api.ts';
import type { Settings } from './settings.ts';

/**
 * Starts `voxbatch up` in the background: it keeps server and worker alive until no batch of this account is open. The
 * token goes to it by its environment, as it came to us.
 */
export function spawnUp(settings: Settings, open: OpenApi): void {
  const logs = join(settings.home, 'logs');
  mkdirSync(logs, { recursive: true, mode: 0o700 });
  const log = openSync(join(logs, 'up.log'), 'a');
  const cli = fileURLToPath(new URL(import.meta.url.endsWith('.ts') ? './cli.ts' : './cli.js', import.meta.url));
  const child = spawn(
    process.execPath,
    [...process.execArgv, cli, 'up', '--until-idle', '--api-url', open.api.baseUrl],
    {
      detached: true,
      stdio: ['ignore', log, log],
      env: settings.env,
    },
  );
  child.unref();
}
