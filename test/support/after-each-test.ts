import { afterEach } from '@jest/globals';
import { endAll } from './end-after-test.ts';

/** Jest loads this file anew for each test file. A helper is loaded once, so what it says here would hold for the first that imports it. */
afterEach(endAll);
