/** An answer takes at most this share of the time: the slower it is, the rarer. */
const LARGEST_SHARE = 0.02;

/**
 * Caches an answer that may be a little old: asks at most once per `everyMs`, and less often if the answer takes long.
 * Called with true, it asks at once.
 */
export function rarely<T>(everyMs: number, ask: () => Promise<T>): (now: boolean) => Promise<T> {
  let last: { readonly answer: T; readonly holdsUntil: number } | undefined;
  return async (now) => {
    const begun = performance.now();
    if (last !== undefined && !now && begun < last.holdsUntil) return last.answer;
    const answer = await ask();
    const end = performance.now();
    last = { answer, holdsUntil: end + Math.max(everyMs, (end - begun) / LARGEST_SHARE) };
    return answer;
  };
}
