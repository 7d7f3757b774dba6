import { setTimeout as pause } from 'node:timers/promises';

/** Ms: less than the limit of a test, so that it is the condition which is named. A live test has more (`test/live-environment.mjs`). */
const PATIENCE_MS = 120_000;

/**
 * Waits until a condition holds. Fails after a time, with the condition in the message: a guard, not an expectation. Looks every
 * `gapMs`, which is longer where a look is dear.
 */
export async function waitFor(
  condition: () => boolean | Promise<boolean>,
  limitMs = (globalThis as { readonly voxbatchPatienceMs?: number }).voxbatchPatienceMs ?? PATIENCE_MS,
  gapMs = 20,
): Promise<void> {
  const end = performance.now() + limitMs;
  while (!(await condition())) {
    if (performance.now() > end)
      throw new Error(`The condition does not hold after ${limitMs} ms: ${String(condition)}`);
    await pause(gapMs);
  }
}
