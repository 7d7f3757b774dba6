import { readFileSync } from 'node:fs';
import TestSequencer from '@jest/test-sequencer';
import { mayBeLeftOut } from './start-until.mjs';

/** How a test file begins that takes long: more than a second and a half of a core, or more than half a minute if it is a live one. */
export const SLOW = '/** @slow */';

/** What a file takes that has not run yet, ms. */
const GUESS = { unit: { slow: 8_000, other: 500 }, live: { slow: 60_000, other: 20_000 } };

/**
 * Begins with the files that take longest, by what Jest has kept of their last run, so that none of them is left alone at the end. Where
 * the time may not be enough for all, those that may be left out come last, in an order that differs each time.
 */
export default class SlowFirst extends TestSequencer {
  sort(tests) {
    const inOrder = super.sort(tests);
    const durations = new Map(
      inOrder.map((test) => [test, mayBeLeftOut(test.path) ? -Math.random() : (test.duration ?? guess(test))]),
    );
    return inOrder.sort((a, b) => durations.get(b) - durations.get(a));
  }
}

function guess({ path, context }) {
  const ofProject = GUESS[context.config.displayName?.name] ?? GUESS.unit;
  return readFileSync(path, 'utf8').startsWith(SLOW) ? ofProject.slow : ofProject.other;
}
