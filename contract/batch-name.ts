import { trimEnd } from './trim-end.ts';

const LONGEST = 100;

/** Default output folder of a batch, below the working directory. */
export function defaultOut(batch: string): string {
  return `out/${batch}`;
}

/**
 * The default name of a batch: the manifest's file name without its extension, with characters that a name cannot have
 * replaced by dashes. So `Export – v3.csv` is the batch `Export - v3`.
 */
export function nameFromFile(path: string): string {
  if (path === '-') return 'stdin';
  const file = trimEnd(path, '/').split('/').at(-1) ?? '';
  const bare = file.replace(/\.(csv|tsv|jsonl|ndjson|txt|xlsx|xlsm)$/i, '');
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

/**
 * Whether a text can name a batch, and so a folder: up to 100 letters (accented ones too), digits, spaces, dots, dashes
 * and underscores.
 */
export function isBatchName(name: string): boolean {
  return /^[\p{L}\p{N}][\p{L}\p{M}\p{N} ._-]{0,99}$/u.test(name) && !name.includes('..');
}

/**
 * Whether an existing batch can be looked up by this name: it is a single path segment, and no command can mistake it
 * for a flag or print it as several lines. Earlier versions accepted more names than {@link isBatchName} does.
 */
export function isUsableName(name: string): boolean {
  return !/^-|[/\\]|\p{Cc}/u.test(name) && !['', '.', '..'].includes(name);
}
