import { defined } from '../../contract/defined.ts';
import type { Running } from './live-command.ts';
import { LiveWorld, type WorldOptions } from './live-world.ts';
import { ledgerOfCluster, startOnCluster } from './start-temporal.ts';
import { settingsOf, type TestTemporal } from './temporal-place.ts';
import { TemporalServer } from './temporal-server.ts';

/** A world whose commands use a Temporal server that somebody else has started, with workers of their own. */
export interface Cluster {
  readonly world: LiveWorld;
  readonly server: TestTemporal;
  /** For each command. */
  readonly env: NodeJS.ProcessEnv;
  /** All are at work, unless the test has ended one. */
  readonly workers: Running[];
}

/**
 * Opens one with workers that are at work. Under `npm run test:cluster` its ledger is in PostgreSQL, as is what the server
 * keeps; `isOwn`: the test kills the server.
 */
export async function openCluster(options: WorldOptions, workers: number, { isOwn = false } = {}): Promise<Cluster> {
  // It ends after the world, which replays what it has recorded.
  const temporal = await startOnCluster({ isOwn });
  const world = await LiveWorld.open({ ...defined({ ledger: ledgerOfCluster(), temporal }), ...options });
  const server = temporal ?? (await TemporalServer.start(world.folder));
  const env = settingsOf(server);
  const started = Array.from({ length: workers }, () => world.startWorking(['worker'], { env }));
  return { world, server, env, workers: await Promise.all(started) };
}
