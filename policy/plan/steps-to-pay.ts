import type { Step } from '../../contract/row-kinds.ts';

/**
 * The steps, of these in order, whose results must be paid for. The result of the last one is the row's, so with it
 * nothing else is needed; otherwise a result is of use only as far as all before it are there.
 */
export function stepsToPay(steps: readonly Step[], isThere: (step: Step) => boolean): readonly Step[] {
  const last = steps.at(-1);
  if (last === undefined || isThere(last)) return [];
  return steps.slice(steps.findIndex((step) => !isThere(step)));
}
