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

/** Characters of a batch's name in the name of its folder, which may have 255 bytes. */
const LONGEST_IN_FOLDER = 48;
/** Hex digits at the end of a folder's name. */
const FOLDER_ID = /-[0-9a-f]{10}$/;

/**
 * Name of a batch's folder in the store. Some file systems treat `Lines` and `lines`, or two Unicode forms of one name,
 * as the same, so it has a random id.
 *
 * @param id 10 hex digits
 */
export function batchFolder(name: string, id: string): string {
  return `${shortened(name)}-${id}`;
}

/**
 * The name, as far as it was kept, of the batch whose folder may be called this; undefined for a folder of something
 * else.
 */
export function batchOfFolder(folder: string): string | undefined {
  return FOLDER_ID.test(folder) ? folder.replace(FOLDER_ID, '') : undefined;
}

/** How the folders of all batches of a name begin, and some others. */
export function folderPrefix(name: string): string {
  return `${shortened(name)}-`;
}

/** Whether a folder may be one of a batch of this name. */
export function isFolderOf(name: string, folder: string): boolean {
  return batchOfFolder(folder) === shortened(name);
}

function shortened(name: string): string {
  return Array.from(name).slice(0, LONGEST_IN_FOLDER).join('');
}
