import { randomUUID } from 'node:crypto';
import { hostname, userInfo } from 'node:os';
import type { By } from '../../contract/actions.ts';
import { refuseOption } from '../problem.ts';
import type { Settings } from '../settings.ts';

/**
 * The person whose command this is, for the record of what it does: the operator that the settings name, else user and
 * host. `reason`: in the person's words.
 */
export function byPerson({ operator }: Pick<Settings, 'operator'>, reason?: string): By {
  return { actor: { type: 'person', name: operator ?? userAndHost() }, command: randomUUID(), reason: reason ?? null };
}

const LONGEST_NAME = 200;

/** Throws {@link VoxbatchError} (`bad-option`) for a name that would not stand in one line. `option`: what gave it. */
export function requireOperator(name: string, option: string): string {
  const trimmed = name.trim();
  if (trimmed !== '' && trimmed.length <= LONGEST_NAME && !/\p{Cc}/u.test(trimmed)) return trimmed;
  return refuseOption(option, `a name of 1 to ${LONGEST_NAME} characters in one line`, name);
}

function userAndHost(): string {
  let user = 'somebody';
  try {
    user = userInfo().username;
  } catch {
    // In a container, the user's number may have no name.
  }
  return `${user}@${hostname()}`;
}
