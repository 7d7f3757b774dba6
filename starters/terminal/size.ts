import { number } from './words.ts';

const UNITS = ['bytes', 'KB', 'MB', 'GB', 'TB'] as const;

/** Bytes for people, everywhere in powers of 1,000: `640 KB`, `1.2 GB`. */
export function size(bytes: number): string {
  const step = Math.min(UNITS.length - 1, bytes < 1 ? 0 : Math.floor(Math.log10(bytes) / 3));
  return `${number(bytes / 1_000 ** step)} ${UNITS[step] ?? ''}`;
}
