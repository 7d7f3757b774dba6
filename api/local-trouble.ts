import { asObject, asText, member } from './read-members.ts';

/**
 * Whether an error is this machine's (a full or read-only disk, no rights, too many open files) rather than the body's:
 * an error of a system call, or one that was caused by such an error. Faults of the connection never show up like
 * this, because a body reports them as `BodyCut`.
 */
export function isLocalTrouble(error: unknown): boolean {
  return systemError(error) !== undefined;
}

/** The words of an error, without paths of this machine. */
export function describeTrouble(error: unknown): string {
  const system = systemError(error);
  // "ENOSPC: no space left on device, write": what follows the comma may name a path.
  if (system !== undefined) return `this machine could not store it: ${system.split(',', 1)[0] ?? ''}`;
  return asText(member(asObject(error), 'message')) ?? 'an error without words';
}

/** The message of the system call's error. Told by its members: its class is another one in another realm. */
function systemError(error: unknown): string | undefined {
  for (let at = asObject(error), depth = 0; at !== undefined && depth < 5; at = asObject(at['cause']), depth += 1) {
    const code = asText(at['code']);
    if (code !== undefined && asText(at['syscall']) !== undefined) return asText(at['message']) ?? code;
  }
  return undefined;
}
