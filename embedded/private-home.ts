import { chmodSync, lstatSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { ServerUnavailable } from './server-unavailable.ts';

/** What a folder or file grants to its group and to others. */
const FOR_OTHERS = 0o077;

/**
 * Takes the home, and what lies in it and its logs, from everybody but its owner: it holds texts, money and the address of a
 * server without a key. Media keep their mode, which they share with their other names in out folders. Throws
 * {@link ServerUnavailable} for a home of another user, who could read and change everything; root may work there.
 */
export function keepPrivate({ home, logs }: { readonly home: string; readonly logs: string }): void {
  const me = process.geteuid?.();
  if (me === undefined) return;
  const { uid } = statSync(home);
  if (uid !== me && me !== 0) {
    throw new ServerUnavailable(
      `${home} belongs to another user (uid ${uid}), who could read and change everything in it.`,
      `Set VOXBATCH_HOME to a folder of your own. If it is yours: sudo chown -R "$(id -u)" '${home}'`,
    );
  }
  if (uid !== me) return;
  takeFromOthers(home);
  for (const folder of [home, logs]) {
    for (const name of readdirSync(folder)) takeFromOthers(join(folder, name));
  }
}

function takeFromOthers(path: string): void {
  try {
    const found = lstatSync(path);
    if (found.isSymbolicLink() || (found.mode & FOR_OTHERS) === 0) return;
    chmodSync(path, found.mode & 0o700);
  } catch {
    // Gone meanwhile, or on a file system without rights.
  }
}
