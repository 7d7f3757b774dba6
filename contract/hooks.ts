/** What a hook (`--on-end`, `--notify`) is told of. `paused`: by itself, not by a person. */
export const HOOK_EVENTS = ['ended', 'paused'] as const;
export type HookEvent = (typeof HOOK_EVENTS)[number];

/** Where it is told: the command of `--on-end`, or the URL of `--notify`. */
export const HOOK_TARGETS = ['command', 'url'] as const;
export type HookTarget = (typeof HOOK_TARGETS)[number];
