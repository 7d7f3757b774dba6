import { PROMISES } from './promises.mjs';

const { TEST_START_UNTIL: until } = process.env;

/**
 * `TEST_START_UNTIL`: the last moment at which a live test that shows no promise may start, in ms since 1970. For a machine that may be too
 * slow for all tests in the time that they have. Default: undefined, and all of them run.
 */
export const START_UNTIL = until === undefined ? undefined : Number(until);

/** Whether the test file of this path may be left out where time is up. */
export function mayWait(path) {
  const [, name] = /[/]live[/](.*)[.]test[.][jt]s$/.exec(path) ?? [];
  return name !== undefined && !(name in PROMISES);
}

/** Whether the file is left out now. */
export const isTooLate = (path) => START_UNTIL !== undefined && mayWait(path) && Date.now() > START_UNTIL;

/** Skips all tests of a block of Jest's, and its hooks. */
export function skipAll(block) {
  block.mode = 'skip';
  for (const child of block.children ?? []) skipAll(child);
}
