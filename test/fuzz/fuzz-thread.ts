/** The thread that runs the cases, one after the other: it says which one it is at before it begins, as it may never end it. */
import { parentPort, workerData } from 'node:worker_threads';
import { seeded } from '../chaos/seeded.ts';
import type { Case } from './media-cases.ts';
import { partOf, PARTS } from './parts.ts';

/** What the thread is given. */
export interface FuzzJob {
  readonly seed: number;
  readonly from: number;
  readonly to: number;
  readonly only: string | undefined;
  /** One place: the number of the case. */
  readonly at: Int32Array;
}

const { seed, from, to, only, at } = workerData as FuzzJob;
const cases = new Map<string, Case>();
for (let number = from; number < to; number += 1) {
  at[0] = number;
  const name = partOf(number, only);
  const run = cases.get(name) ?? (await PARTS[name]?.open());
  if (run === undefined) throw new Error(`There is no part ${name}.`);
  cases.set(name, run);
  try {
    await run(seeded(seed + Math.imul(number, 0x9e37_79b1)));
  } catch (error) {
    parentPort?.postMessage({ number, words: error instanceof Error ? (error.stack ?? error.message) : String(error) });
  }
}
