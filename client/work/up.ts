import { setTimeout as sleep } from 'node:timers/promises';
import { claimUp, findUp, type UpClaim } from '../../embedded/up-claim.ts';

/** Without an `up` for so long, none is coming, ms. */
const ABSENT_MS = 30_000;
const LOOK_EVERY_MS = 200;

/**
 * Waits until the `up` of a home is ready, for at most `limitMs`. Starts none. `absent`: there has been none for 30 s; `late`: it is not ready by
 * then.
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
    await sleep(LOOK_EVERY_MS);
  }
}

/** Makes this process the `up` of a home: there is one, so that nobody waits for a second one to take over. `pid`: of the one that is ready. */
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
