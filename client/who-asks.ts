import { hostname, userInfo } from 'node:os';

/** User and host, for the record of a decision. */
export function whoAsks(): string {
  let user = 'somebody';
  try {
    user = userInfo().username;
  } catch {
    // A container may run under a number that has no name.
  }
  return `${user}@${hostname()}`;
}
