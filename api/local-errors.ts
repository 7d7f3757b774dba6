import { asObject, asText, member } from './read-members.ts';

/**
 * Whether an error comes from this machine (a full or read-only disk, no permission, too many open files) and not from
 * the body: a system call's error, or one caused by it. Connection faults never look like this, because a body reports
 * them as `BodyCut`.
 */
export function isLocalError(error: unknown): boolean {
  return systemError(error) !== undefined;
}

/** Describes an error without local paths. `what`: the action that failed, for an error of this machine. */
export function describeError(error: unknown, what = 'store it'): string {
  const system = systemError(error);
  // "ENOSPC: no space left on device, write": what follows the comma may name a path.
  if (system !== undefined) return `this machine could not ${what}: ${system.split(',', 1)[0] ?? ''}`;
  return asText(member(asObject(error), 'message')) ?? 'an error without words';
}

/** Returns the message of a system call's error, recognised by its fields because its class differs between realms. */
function systemError(error: unknown): string | undefined {
  // Five causes at most: they may form a circle.
  for (let at = asObject(error), depth = 0; at !== undefined && depth < 5; at = asObject(at['cause']), depth += 1) {
    const code = asText(at['code']);
    if (code !== undefined && asText(at['syscall']) !== undefined) return asText(at['message']) ?? code;
  }
  return undefined;
}
