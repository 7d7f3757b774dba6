import { setTimeout as pause } from 'node:timers/promises';

/** Waits until a condition holds. Fails after 20 s, with the time in the message: a guard, not an expectation. */
export async function waitFor(condition: () => boolean | Promise<boolean>, limitMs = 20_000): Promise<void> {
  const end = performance.now() + limitMs;
  while (!(await condition())) {
    if (performance.now() > end)
      throw new Error(`The condition does not hold after ${limitMs} ms: ${String(condition)}`);
    await pause(20);
  }
}
