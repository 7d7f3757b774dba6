import type { JoinPart } from './join-request.ts';

/** Files that can be put behind each other as they are, or which of them does not fit, in words. */
export type JoinPlan<Part extends JoinPart> =
  | { readonly type: 'fits'; readonly parts: readonly Part[] }
  | { readonly type: 'differs'; readonly part: JoinPart; readonly what: string };

/**
 * Reads files until one does not fit: `read` says what is wrong with it, or `describe` says something else of it than of
 * the first one.
 */
export async function planAlike<Part extends JoinPart>(
  parts: readonly JoinPart[],
  read: (part: JoinPart) => Promise<Part | string>,
  describe: (part: Part) => string,
): Promise<JoinPlan<Part>> {
  const planned: Part[] = [];
  for (const part of parts) {
    const found = await read(part);
    if (typeof found === 'string') return { type: 'differs', part, what: found };
    const [first = found] = planned;
    if (describe(first) !== describe(found)) {
      return { type: 'differs', part, what: `has ${describe(found)}, and the first one ${describe(first)}` };
    }
    planned.push(found);
  }
  return { type: 'fits', parts: planned };
}
