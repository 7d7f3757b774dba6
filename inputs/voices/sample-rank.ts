import { hash } from 'node:crypto';

/** Place of a row in the order in which a seed draws: the sha256 of seed and id with a line break between them, hex. */
export function sampleRank(seed: number, id: string): string {
  return hash('sha256', `${seed}\n${id}`, 'hex');
}
