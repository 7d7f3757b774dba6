import { afterAll, afterEach, beforeEach, jest } from '@jest/globals';
import { ownOperations } from '../../contract/own-operations/own-operation-rules.ts';
import { beginTest, endAll } from './end-after-test.ts';

/**
 * Jest loads this file anew for each test file. A helper is loaded once, so what it says here would hold for the first that imports it.
 * After each test come the real clock and all that a test has spied on: what is ended then may need them.
 */
beforeEach(beginTest);
afterEach(async () => {
  jest.useRealTimers();
  jest.restoreAllMocks();
  await endAll('test');
});
afterAll(() => endAll('file'));
/** Whoever adds an operation adds it for all test files of the process, and nothing can remove it: do so in a thread. */
afterAll(() => {
  const [added] = ownOperations();
  if (added !== undefined) throw new Error(`A test has added the operation "${added.name}" for good.`);
});
