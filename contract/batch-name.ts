import { trimEnd } from './trim-end.ts';

const LONGEST = 100;

/** Folder of a batch's files where none is named, below the working directory. */
export function defaultOut(batch: string): string {
  return `out/${batch}`;
}

/**
 * The default name of a batch: the manifest's file name without its extension, with a dash for what a name cannot have. So
 * `Export – v3.csv` is the batch `Export - v3`.
 */
export function nameFromFile(path: string): string {
  if (path === '-') return 'stdin';
  const file = trimEnd(path, '/').split('/').at(-1) ?? '';
  const bare = file.replace(/\.(csv|tsv|jsonl|ndjson|txt)$/i, '');
  const name = bare
    .normalize('NFC')
    .replaceAll(/[^\p{L}\p{M}\p{N} ._-]+/gu, '-')
    .replaceAll(/\.{2,}/g, '.')
    .replace(/^[^\p{L}\p{N}]+/u, '');
  return (
    name
      .slice(0, LONGEST)
      .replace(/[\uD800-\uDBFF]$/, '')
      .trim() || 'batch'
  );
}

/** True for what can name a batch, and so a folder: letters with their accents, digits, blanks, dots, dashes and underscores, at most 100. */
export function isBatchName(name: string): boolean {
  return /^[\p{L}\p{N}][\p{L}\p{M}\p{N} ._-]{0,99}$/u.test(name) && !name.includes('..');
}

/**
 * True for a name that a batch on record can be found by: it names a folder in another and nothing beyond it, and no command takes it for a flag
 * or shows it as lines of its own. Earlier versions took more names than {@link isBatchName} does.
 */
export function isUsableName(name: string): boolean {
  return !/^-|[/\\]|\p{Cc}/u.test(name) && !['', '.', '..'].includes(name);
}
