import { readFileSync } from 'node:fs';
import TestSequencer from '@jest/test-sequencer';

/** How a test file begins that takes long: more than a second and a half of a core, or more than half a minute if it is a live one. */
export const SLOW = '/** @slow */';

/** How many times as long as others a slow file takes, about. */
const WEIGHT = { unit: 8, live: 3 };
/** The last tenth of the unit tests, which are short, has nothing live beside it that could be left alone at the end. */
const SHARE = { unit: 1, live: 0.9 };

/**
 * Begins with the files that are marked as slow, so that none of them is left alone at the end; else in the order of Jest. Live tests, which
 * wait most of the time, are spread among the unit tests, which do not.
 */
export default class SlowFirst extends TestSequencer {
  sort(tests) {
    const inOrder = super.sort(tests);
    const places = new Map();
    for (const project of new Set(tests.map(projectOf))) {
      const files = inOrder
        .filter((test) => projectOf(test) === project)
        .map((test) => ({ test, isSlow: isSlow(test) }));
      const slowFirst = [...files.filter((file) => file.isSlow), ...files.filter((file) => !file.isSlow)];
      const weights = slowFirst.map((file) => (file.isSlow ? (WEIGHT[project] ?? 1) : 1));
      const all = weights.reduce((sum, weight) => sum + weight, 0);
      let before = 0;
      for (const [at, { test }] of slowFirst.entries()) {
        places.set(test, ((SHARE[project] ?? 1) * before) / all);
        before += weights[at];
      }
    }
    return inOrder.sort((a, b) => places.get(a) - places.get(b));
  }
}

const projectOf = ({ context }) => context.config.displayName?.name;

const isSlow = ({ path }) => readFileSync(path, 'utf8').startsWith(SLOW);
