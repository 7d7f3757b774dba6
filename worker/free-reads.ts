import { freeReads } from '../activities/free-reads.ts';
import type { FreeReads } from '../batches/free-reads.ts';
import { dependenciesOf, type WorkerWorld } from './dependencies.ts';

/** Free reads of a process that works on no batch itself, as the command line when it settles rows. They are never called off. */
export function freeReadsOf(world: WorkerWorld): FreeReads {
  const never = new AbortController().signal;
  return freeReads(dependenciesOf(world, never), never);
}
