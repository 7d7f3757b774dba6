import type { Running } from './live-command.ts';
import { LiveWorld, type WorldOptions } from './live-world.ts';
import { TemporalServer } from './temporal-server.ts';

/** A world whose commands use a Temporal server that somebody else has started, with workers of their own. */
export interface Cluster {
  readonly world: LiveWorld;
  readonly server: TemporalServer;
  /** For each command. */
  readonly env: NodeJS.ProcessEnv;
  /** All are at work, unless the test has ended one. */
  readonly workers: Running[];
}

export async function openCluster(options: WorldOptions, workers: number): Promise<Cluster> {
  const world = await LiveWorld.open(options);
  const server = await TemporalServer.start(world.folder);
  const env = { TEMPORAL_ADDRESS: server.address };
  const started = Array.from({ length: workers }, () => world.startWorking(['worker'], { env }));
  return { world, server, env, workers: await Promise.all(started) };
}
