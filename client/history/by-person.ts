import { randomUUID } from 'node:crypto';
import { hostname, userInfo } from 'node:os';
import type { By } from '../../contract/actions.ts';
import { refuseOption } from '../problem.ts';
import type { Settings } from '../settings.ts';

/**
 * Returns who runs this command and why, for the history of what it does: the operator in the settings, by default
 * `user@host`. Each call makes a new command id, by which actions of one command are grouped.
 *
 * @param reason in the person's own words
 */
export function byPerson({ operator }: Pick<Settings, 'operator'>, reason?: string): By {
  return { actor: { type: 'person', name: operator ?? userAndHost() }, command: randomUUID(), reason: reason ?? null };
}

/** Max length of an operator's name, characters. */
const MAX_NAME_LENGTH = 200;

/**
 * Returns an operator's name, trimmed. Throws {@link VoxbatchError} (`bad-option`) if it is empty, too long, or has
 * line breaks or other control characters. `option`: the option that gave it.
 */
export function requireOperator(name: string, option: string): string {
  const trimmed = name.trim();
  if (trimmed !== '' && trimmed.length <= MAX_NAME_LENGTH && !/\p{Cc}/u.test(trimmed)) return trimmed;
  return refuseOption(option, `a name of 1 to ${MAX_NAME_LENGTH} characters in one line`, name);
}

function userAndHost(): string {
  let user = 'somebody';
  try {
    user = userInfo().username;
  } catch {
    // In a container, the user id may have no account.
  }
  return `${user}@${hostname()}`;
}
