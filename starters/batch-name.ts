import { basename } from 'node:path';

/** The default name of a batch: the manifest's file name without its extension. */
export function nameFromFile(path: string): string {
  if (path === '-') return 'stdin';
  return basename(path).replace(/\.(csv|tsv|jsonl|ndjson|txt)$/i, '');
}
