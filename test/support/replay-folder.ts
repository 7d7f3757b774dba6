import { readdir, readFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { CLUSTER_DATABASE, TemporalServer } from './temporal-server.ts';

/** The databases of an embedded server and of a test's own. */
const DATABASES = ['temporal.db', CLUSTER_DATABASE];

/**
 * Replays every history in the databases below a folder, of any home, and returns how many those were. Throws on the first that does not
 * replay. No server may run there any more; those that made the histories may have been killed.
 */
export async function replayFolder(folder: string): Promise<number> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const databases = entries.filter((entry) => entry.isFile() && DATABASES.includes(entry.name));
  let replayed = 0;
  for (const { parentPath, name } of databases) replayed += await replayDatabase(join(parentPath, name));
  return replayed;
}

async function replayDatabase(database: string): Promise<number> {
  // A server that was killed while it made its tables has no history, and no other can start on them.
  const version = await readFile(`${database}.version`, 'utf8').catch(() => '');
  if (version.includes('half made')) return 0;
  // Loaded only here: tests that run no batch need not wait for it.
  const { replayHistoriesAt } = await import('./replay-histories.ts');
  const server = await TemporalServer.start(dirname(database), basename(database));
  try {
    return await replayHistoriesAt(server);
  } finally {
    await server.kill();
  }
}
