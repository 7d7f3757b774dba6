import { beforeAll, it } from '@jest/globals';

/**
 * Tests that mostly wait for time to pass, run at the same time: all start before the first is judged. They share what the file's own
 * `beforeAll`, which must come before, has made. (Jest's `it.concurrent` runs them where no module can be loaded any more.)
 */
export function testsAtOnce(tests: Readonly<Record<string, () => Promise<void>>>): void {
  const running = new Map<string, Promise<void>>();
  beforeAll(() => {
    for (const [name, test] of Object.entries(tests)) {
      const ended = test();
      // It is heard of where the test is judged.
      ended.catch(() => undefined);
      running.set(name, ended);
    }
  });
  for (const name of Object.keys(tests)) it(name, () => running.get(name));
}
