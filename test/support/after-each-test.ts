import { afterAll, afterEach, beforeEach } from '@jest/globals';
import { beginTest, endAll } from './end-after-test.ts';

/** Jest loads this file anew for each test file. A helper is loaded once, so what it says here would hold for the first that imports it. */
beforeEach(beginTest);
afterEach(() => endAll('test'));
afterAll(() => endAll('file'));
