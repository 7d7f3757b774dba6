/**
 * The events of a hook (`--on-end`, `--notify`). `ended`, `paused`: of a batch; paused by itself, not by a person. `failed`, `skipped`: of an occurrence
 * of a schedule that made no batch.
 */
export const HOOK_EVENTS = ['ended', 'paused', 'failed', 'skipped'] as const;
export type HookEvent = (typeof HOOK_EVENTS)[number];

/** The events of a batch. */
export type BatchEvent = Extract<HookEvent, 'ended' | 'paused'>;

/** Where an event goes: to the command of `--on-end`, or the URL of `--notify`. */
export const HOOK_TARGETS = ['command', 'url'] as const;
export type HookTarget = (typeof HOOK_TARGETS)[number];

/** How far the telling of a hook has come. */
interface Telling {
  /** Why it failed last; null: it has not failed. */
  readonly trouble: string | null;
  /** When it was told or given up, ms. */
  readonly endedAt: number | null;
}

/** Whether a hook is still to be told: nobody has begun it, or whoever did is at it or was cut off. One that failed is not. */
export function isOwed({ endedAt, trouble }: Telling): boolean {
  return endedAt === null && trouble === null;
}
