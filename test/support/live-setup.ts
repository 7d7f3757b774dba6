import { env } from 'node:process';
import { findServer } from '../../embedded/find-server.ts';

/** Finds the Temporal server once for all live tests, which may take a while on a machine that has none yet. */
export default async function findServerOnce(): Promise<void> {
  const say = (line: string): void => {
    console.error(line);
  };
  env['VOXBATCH_TEMPORAL_CLI'] = (await findServer({ env, say })).path;
}
