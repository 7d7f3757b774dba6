/**
 * The events of a hook (`--on-end`, `--notify`). `ended` and `paused` concern a batch (one that paused by itself, not
 * at a user's request). `failed` and `skipped` concern a schedule's occurrence that created no batch.
 */
export const HOOK_EVENTS = ['ended', 'paused', 'failed', 'skipped'] as const;
/** What happened to a batch or an occurrence, for which a hook is called. */
export type HookEvent = (typeof HOOK_EVENTS)[number];

/** Hook events that concern a batch. */
export type BatchHookEvent = Extract<HookEvent, 'ended' | 'paused'>;

/** Where an event goes: to the command of `--on-end`, or the URL of `--notify`. */
export const HOOK_TARGETS = ['command', 'url'] as const;
/** A batch may have both; each is delivered on its own. */
export type HookTarget = (typeof HOOK_TARGETS)[number];

/** Delivery state of a hook. */
interface HookDelivery {
  /** Why the latest delivery failed; null if none failed. */
  readonly trouble: string | null;
  /** When it was delivered or given up, in ms. */
  readonly endedAt: number | null;
}

/**
 * Whether a hook is still to be delivered: it was not started yet, is in progress, or was interrupted. A failed
 * delivery does not count.
 */
export function isUndelivered({ endedAt, trouble }: HookDelivery): boolean {
  return endedAt === null && trouble === null;
}
