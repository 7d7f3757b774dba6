import { freeReads } from '../activities/reconcile/free-reads.ts';
import type { FreeReads } from '../batches/free-reads.ts';
import { dependenciesOf, type WorkerWorld } from './dependencies.ts';

/**
 * Free reads for a process that is not a worker, such as the command line when it settles rows. They cannot be aborted.
 */
export function freeReadsOf(world: WorkerWorld): FreeReads {
  const never = new AbortController().signal;
  return freeReads(dependenciesOf(world, never), never);
}
