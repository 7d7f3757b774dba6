import { PROMISES } from './promises.mjs';

const { TEST_START_UNTIL: until } = process.env;

/**
 * `TEST_START_UNTIL`: the last moment at which a live test that shows no promise may start, in ms since 1970. For a machine that may be too
 * slow for all tests in the time that they have. Default: undefined, and all of them run.
 */
const START_UNTIL = until === undefined ? Infinity : Number(until);

/** The name of a file of live tests; undefined for another file. */
export function liveName(path) {
  return /[/]live[/](.*)[.]test[.][jt]s$/.exec(path)?.[1];
}

/** Whether this test file is left out where time is up. */
export function mayBeLeftOut(path) {
  const name = liveName(path);
  return START_UNTIL !== Infinity && name !== undefined && !(name in PROMISES);
}

/** Whether it is left out now. */
export const isTooLate = (path) => mayBeLeftOut(path) && Date.now() > START_UNTIL;

/** Leaves a test file out, if it is too late, as Jest begins with its outermost block: skips all tests and hooks. */
export function skipIfTooLate(path, { name }, { rootDescribeBlock }) {
  if (name === 'run_start' && isTooLate(path)) skipAll(rootDescribeBlock);
}

function skipAll(block) {
  block.mode = 'skip';
  for (const child of block.children ?? []) skipAll(child);
}
