import { basename } from 'node:path';

/** The default name of a batch: the manifest's file name without its extension. */
export function nameFromFile(path: string): string {
  if (path === '-') return 'stdin';
  return basename(path).replace(/\.(csv|tsv|jsonl|ndjson|txt)$/i, '');
}

/** True for what can name a batch, and so a folder: letters, digits, blanks, dots, dashes and underscores, at most 100. */
export function isBatchName(name: string): boolean {
  return /^[\p{L}\p{N}][\p{L}\p{N} ._-]{0,99}$/u.test(name) && !name.includes('..');
}
