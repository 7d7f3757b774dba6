/**
 * Points on the way of a paid request and its result at which a process can die. Tests kill there to prove that nothing
 * is lost; in production nobody listens.
 */
export const FAULT_POINTS = [
  'before-intent',
  'after-intent',
  'after-answer',
  'after-verdict',
  'before-rename',
] as const;
/**
 * `before-reuse-record`: an earlier result is copied, `before-join-record`: the parts of a row are joined, and nothing is
 * recorded yet; no request is on its way.
 */
export type FaultPoint = (typeof FAULT_POINTS)[number] | 'before-reuse-record' | 'before-join-record';

/** Called at each fault point; it may take its time, or never return. */
export type FaultPointHook = (point: FaultPoint) => void | Promise<void>;
