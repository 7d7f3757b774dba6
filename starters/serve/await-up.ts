import { setTimeout as sleep } from 'node:timers/promises';
import { findUp } from '../../embedded/up-claim.ts';
import { formatDuration } from '../../contract/duration.ts';
import { ExitError } from '../exit-error.ts';

/** Without an `up` for so long, none is coming, ms. */
const ABSENT_MS = 30_000;
const LOOK_EVERY_MS = 200;

/**
 * `voxbatch up --wait`: waits until the `up` of this home is ready, for at most `limitMs`. Starts none. Throws an
 * {@link ExitError} (`unreachable`) if none is ready by then, or if there has been none for 30 s.
 */
export async function awaitUp(home: string, limitMs: number): Promise<void> {
  const begun = performance.now();
  let seenAt = begun;
  for (;;) {
    const { type } = findUp(home);
    if (type === 'ready') return;
    const now = performance.now();
    if (type === 'starting') seenAt = now;
    if (now - seenAt >= Math.min(ABSENT_MS, limitMs)) {
      throw new ExitError('unreachable', `No \`voxbatch up\` runs in ${home}. Start one: voxbatch up`);
    }
    if (now - begun >= limitMs) {
      const waited = formatDuration(limitMs);
      throw new ExitError('unreachable', `\`voxbatch up\` in ${home} is not ready after ${waited}. Its log says why.`);
    }
    await sleep(LOOK_EVERY_MS);
  }
}
