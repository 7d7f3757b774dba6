/** What `@jest/globals` is to modules that several test files share: each name is what Jest has made for the file that runs. */
export let afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, jest, test;

/** Called for each test file, before it is loaded (`runtime.mjs`). */
export function setGlobals(made) {
  ({ afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, jest, test } = made);
}
