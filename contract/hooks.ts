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
