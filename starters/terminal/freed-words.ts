import type { MediaSum } from '../../batches/cache/disk-sum.ts';
import { size } from './size.ts';

/** `2 GB: 1 GB are free now, 1 GB have other names (out folders) and stay there`. `others`: what those names are of. */
export function freedWords({ bytes, freed }: MediaSum, isDryRun: boolean, others: string): string {
  const shared = bytes - freed;
  const elsewhere = shared > 0 ? `, ${size(shared)} have other names (${others}) and stay there` : '';
  return `${size(bytes)}: ${size(freed)} ${isDryRun ? 'would be free' : 'are free now'}${elsewhere}`;
}
