import { readFileSync } from 'node:fs';
import TestSequencer from '@jest/test-sequencer';

/** How a test file begins that takes long: more than a second and a half of a core, or more than half a minute if it is a live one. */
export const SLOW = '/** @slow */';

/** Begins with the files that are marked as slow, so that none of them is left alone at the end; else in the order of Jest. */
export default class SlowFirst extends TestSequencer {
  sort(tests) {
    const isSlow = ({ path }) => readFileSync(path, 'utf8').startsWith(SLOW);
    const [slow, others] = [[], []];
    for (const test of super.sort(tests)) (isSlow(test) ? slow : others).push(test);
    return [...slow, ...others];
  }
}
