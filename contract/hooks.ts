/** The events of a hook (`--on-end`, `--notify`). `paused`: by itself, not by a person. */
export const HOOK_EVENTS = ['ended', 'paused'] as const;
export type HookEvent = (typeof HOOK_EVENTS)[number];

/** Where an event goes: to the command of `--on-end`, or the URL of `--notify`. */
export const HOOK_TARGETS = ['command', 'url'] as const;
export type HookTarget = (typeof HOOK_TARGETS)[number];
