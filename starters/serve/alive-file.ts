import { accessSync, constants, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { ExitError } from '../exit-error.ts';
import { messageOf } from '../../contract/message-of.ts';

/** How often the file is touched, ms. A probe should allow for several of these. */
const TOUCH_EVERY_MS = 5_000;

/** Throws {@link ExitError} if the file cannot be made later, when the process is ready. */
export function requireAliveFolder(path: string): void {
  try {
    accessSync(dirname(resolve(path)), constants.W_OK);
  } catch (error) {
    throw cannotBeWritten(path, error);
  }
}

/**
 * Keeps a file that says that this process works: made when it is ready, touched while its event loop turns, removed in
 * the end. It does not depend on ledger, Temporal or API: a worker that waits for one of them must not be restarted for
 * it. Returns what removes it.
 */
export function keepAliveFile(path: string): () => void {
  try {
    writeFileSync(path, '');
  } catch (error) {
    throw cannotBeWritten(path, error);
  }
  const timer = setInterval(() => {
    const now = new Date();
    try {
      utimesSync(path, now, now);
    } catch {
      // Who removed it wants this process restarted.
    }
  }, TOUCH_EVERY_MS);
  return () => {
    clearInterval(timer);
    rmSync(path, { force: true });
  };
}

function cannotBeWritten(path: string, error: unknown): ExitError {
  return new ExitError('usage', `--alive-file: ${path} cannot be written: ${messageOf(error)}. Nothing was spent.`);
}
