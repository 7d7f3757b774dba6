import { realpathSync } from 'node:fs';
import { join } from 'node:path';
import { OTHER_HOME_ADVICE } from '../contract/other-disk.ts';
import { makePrivateFolder } from './private-file.ts';
import { keepPrivate } from './private-home.ts';
import { ServerUnavailable, adviceFor } from './server-unavailable.ts';

/** The contents of `.voxbatch/`. Paths are absolute. */
export interface HomePaths {
  readonly home: string;
  /** The record of rows and money. This file must not be lost. */
  readonly ledger: string;
  /** Temporal's histories. May be deleted while no server runs; it is recreated. */
  readonly temporal: string;
  /** Newest server version that ever opened `temporal.db`. */
  readonly temporalVersion: string;
  /** The running server: pid, port, version, start time. */
  readonly serverRecord: string;
  /** Lock that every live member of the server shares. Has no data; see `kernel-lock.ts`. */
  readonly membersLock: string;
  /** Lock held while a process joins, leaves or restarts the server. Has no data. */
  readonly startingLock: string;
  /** Pid of the last holder of the starting lock: for messages only, never for a decision. */
  readonly startingOwner: string;
  /** Lock held by the one `up` of this home. Has no data. */
  readonly upLock: string;
  /** The pid of that `up`, and whether it is ready. */
  readonly upRecord: string;
  readonly logs: string;
  readonly serverLog: string;
  /** Log of the workers of this home. */
  readonly workerLog: string;
  /** Output of `up` if no terminal or service manager receives it. */
  readonly upLog: string;
  /** The last seen schema of each API (`doctor --api`). May be deleted. */
  readonly schemaSnapshots: string;
  /** The key that signs links to local media. If it is lost, existing links stop working. */
  readonly mediaKey: string;
  /** Media, for the folder store. */
  readonly store: string;
}

/** Returns the paths in a home, by the home's absolute path. Creates nothing. */
export function pathsIn(home: string): HomePaths {
  const logs = join(home, 'logs');
  return {
    home,
    ledger: join(home, 'ledger.db'),
    temporal: join(home, 'temporal.db'),
    temporalVersion: join(home, 'temporal.db.version'),
    serverRecord: join(home, 'server.json'),
    membersLock: join(home, 'lock'),
    startingLock: join(home, 'starting.lock'),
    startingOwner: join(home, 'starting.pid'),
    upLock: join(home, 'up.lock'),
    upRecord: join(home, 'up.json'),
    logs,
    serverLog: join(logs, 'temporal.log'),
    workerLog: join(logs, 'worker.log'),
    upLog: join(logs, 'up.log'),
    schemaSnapshots: join(home, 'api-schemas.json'),
    mediaKey: join(home, 'media.key'),
    store: join(home, 'store'),
  };
}

/**
 * Creates the home, or makes an existing one readable only by its owner, and returns its paths with links resolved, so
 * that different paths to one folder mean the same home. Throws {@link ServerUnavailable} if the folder cannot be
 * created, or is another user's.
 */
export function makeHome(home: string): HomePaths {
  try {
    makePrivateFolder(home);
    const paths = pathsIn(realpathSync(home));
    refuseMisreadPath(paths.home);
    makePrivateFolder(paths.logs);
    const { home: folder, logs, ledger, store, ...files } = paths;
    keepPrivate({ home: folder, logs, ledger, store, files: Object.values(files) });
    return paths;
  } catch (error) {
    if (error instanceof ServerUnavailable) throw error;
    throw new ServerUnavailable(`The folder ${home} can't be made: ${String(error)}.`, adviceFor(String(error)), {
      cause: error,
    });
  }
}

/**
 * Throws {@link ServerUnavailable} for a path that the server would misread. The server puts the path into a URI
 * unescaped, so it would open a different file than it checks for, and fail on the second start.
 */
function refuseMisreadPath(home: string): void {
  const [odd] = /[?#]|%[\da-f]{2}/i.exec(home) ?? [];
  if (odd === undefined) return;
  throw new ServerUnavailable(
    `The Temporal server cannot keep its database in ${home}, because of "${odd}".`,
    `Rename that folder, then run the same command again. ${OTHER_HOME_ADVICE}`,
  );
}
