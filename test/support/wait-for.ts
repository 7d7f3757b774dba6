import { setTimeout as pause } from 'node:timers/promises';

/** Of unit tests, ms: less than the limit of a test, so that it is the condition which is named. */
let patienceMs = 120_000;

/** Sets how long {@link waitFor} waits where it is not told, ms. */
export function setPatience(ms: number): void {
  patienceMs = ms;
}

/**
 * Waits until a condition holds. Fails after a time, with the condition in the message: a guard, not an expectation. Looks every
 * `gapMs`, which is longer where a look is dear.
 */
export async function waitFor(
  condition: () => boolean | Promise<boolean>,
  limitMs = patienceMs,
  gapMs = 20,
): Promise<void> {
  const end = performance.now() + limitMs;
  while (!(await condition())) {
    if (performance.now() > end)
      throw new Error(`The condition does not hold after ${limitMs} ms: ${String(condition)}`);
    await pause(gapMs);
  }
}
