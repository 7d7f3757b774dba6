/** A batch whose workflow tells of its end is looked at for the case that the message does not come, ms. */
const FIRST_GUARD_MS = 15_000;
const LONGEST_GUARD_MS = 300_000;
/** One that nobody tells of, ms. */
const FIRST_LOOK_MS = 1_000;
const LONGEST_LOOK_MS = 15_000;

/**
 * How long a firing waits before it looks again whether its batch has ended, ms: longer each time, because a batch may
 * run for hours and be paused for days. `looks`: looks in a row without news. `isTold`: the batch's workflow is a child
 * of the firing, so its end is told at once.
 */
export function lookPauseMs(looks: number, isTold: boolean): number {
  const [first, longest] = isTold ? [FIRST_GUARD_MS, LONGEST_GUARD_MS] : [FIRST_LOOK_MS, LONGEST_LOOK_MS];
  return Math.min(longest, first * 2 ** Math.min(10, looks));
}
