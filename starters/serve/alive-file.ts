import { accessSync, constants, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { ExitError } from '../exit-error.ts';
import { messageOf } from '../../contract/message-of.ts';

/** How often the file is touched, ms. A probe should allow for several of these intervals. */
const TOUCH_INTERVAL_MS = 5_000;

/** Checks at the start that the file can be created once the process is ready. Throws {@link ExitError} `usage`. */
export function requireAliveFolder(path: string): void {
  try {
    accessSync(dirname(resolve(path)), constants.W_OK);
  } catch (error) {
    throw cannotBeWritten(path, error);
  }
}

/**
 * Keeps the liveness file of `--alive-file`: creates it now, and touches it while the event loop runs. It says nothing
 * about ledger, Temporal or API, because a worker that waits for one of them must not be restarted. Returns a function
 * that removes the file. Throws {@link ExitError} `usage`.
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
      // Somebody removed the file, so the probe is meant to fail.
    }
  }, TOUCH_INTERVAL_MS);
  return () => {
    clearInterval(timer);
    rmSync(path, { force: true });
  };
}

function cannotBeWritten(path: string, error: unknown): ExitError {
  return new ExitError('usage', `--alive-file: ${path} cannot be written: ${messageOf(error)}. Nothing was spent.`);
}
