import { setTimeout as sleep } from 'node:timers/promises';
import { claimUp, findUp, type UpClaim } from '../../embedded/up-claim.ts';
import { SECRETS_ON_STDIN } from '../../contract/environment.ts';
import { PROXIES, startChild } from '../../embedded/child-process.ts';
import { pathsIn } from '../../embedded/home.ts';
import { openOwnLog } from '../../embedded/private-home.ts';
import type { Settings } from '../settings.ts';

/** After this long without an `up`, none is coming, ms. */
const ABSENT_MS = 30_000;
const POLL_EVERY_MS = 200;

// `voxbatch up` is the process that keeps a home's embedded server and a worker alive. A command can start it in the
// background and leave its batches to it.

/**
 * Waits at most `limitMs` for a home's `up` to be ready. Starts none. `absent`: there has been none for 30 s, or all
 * that time; `late`: it was not ready in time.
 */
export async function awaitUp(home: string, limitMs: number): Promise<'ready' | 'absent' | 'late'> {
  const begun = performance.now();
  let seenAt = begun;
  for (;;) {
    const { type } = findUp(home);
    if (type === 'ready') return type;
    const now = performance.now();
    if (type === 'starting') seenAt = now;
    if (now - seenAt >= Math.min(ABSENT_MS, limitMs)) return 'absent';
    if (now - begun >= limitMs) return 'late';
    await sleep(POLL_EVERY_MS);
  }
}

/**
 * Makes this process the home's `up`. Only one is allowed, so that nobody waits for a second one to take over. `pid`:
 * the process that is ready, if the place is taken.
 */
export async function becomeUp(
  home: string,
): Promise<
  { readonly type: 'claimed'; readonly claim: UpClaim } | { readonly type: 'taken'; readonly pid: number | undefined }
> {
  const claim = await claimUp(home);
  if (claim !== undefined) return { type: 'claimed', claim };
  const found = findUp(home);
  return { type: 'taken', pid: found.type === 'ready' ? found.pid : undefined };
}

/**
 * Settings passed to `up` through its environment. It works on behalf of this command, so it needs the proxy with its
 * password and the places of the records. The API's URL is passed as a flag, our secrets through stdin. It is embedded,
 * so no cluster settings are included.
 */
const PASSED_SETTINGS = [
  'VOXBATCH_CONFIG',
  'VOXBATCH_HOME',
  'VOXBATCH_LEDGER',
  'VOXBATCH_STORE',
  'VOXBATCH_SERVE_MEDIA',
  'VOXBATCH_SERVE_MEDIA_URL',
  'VOXBATCH_TEMPORAL_CLI',
  'VOXBATCH_FFMPEG',
  SECRETS_ON_STDIN,
  'TEMPORAL_CONFIG_FILE',
  'TEMPORAL_PROFILE',
  ...PROXIES,
];

/** Options for starting `up`. */
export interface StartUpRequest {
  /** Path of `cli.js`. */
  readonly cli: string;
  readonly args: readonly string[];
  /** Our secrets, keyed by variable name. */
  readonly secrets: NodeJS.ProcessEnv;
}

/**
 * Starts `voxbatch up` in the background, logging to the home's log. Our secrets are passed through its stdin, where
 * its hooks cannot read them; other programs' secrets are withheld.
 */
export function startUp(settings: Settings, { cli, args, secrets }: StartUpRequest): void {
  const log = openOwnLog(pathsIn(settings.home).upLog);
  const child = startChild(process.execPath, [...process.execArgv, cli, 'up', ...args], {
    detached: true,
    stdio: ['pipe', log, log],
    env: { ...settings.env, [SECRETS_ON_STDIN]: '1' },
    passes: PASSED_SETTINGS,
  });
  // It may exit immediately; its log says why.
  child.stdin?.on('error', () => undefined);
  child.stdin?.end(JSON.stringify(secrets));
  child.unref();
}
