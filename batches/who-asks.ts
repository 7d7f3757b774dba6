import { hostname, userInfo } from 'node:os';

/** User and host, for the record of a decision. */
export function whoAsks(): string {
  let user = 'somebody';
  try {
    user = userInfo().username;
  } catch {
    // In a container, the user's number may have no name.
  }
  return `${user}@${hostname()}`;
}
