import { trimEnd } from './trim-end.ts';

/** Names of batches, and of the folders that their media have in the store. */

/** Max characters of a batch's name. */
export const MAX_BATCH_NAME_LENGTH = 100;

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
      .slice(0, MAX_BATCH_NAME_LENGTH)
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

/** Max characters of the batch's name in its folder's name, which file systems limit to 255 bytes. */
const MAX_FOLDER_NAME_LENGTH = 48;
/** The random id at the end of a folder's name. */
const FOLDER_ID = /-[0-9a-f]{10}$/;

/**
 * Returns the name of a batch's folder in the store. It ends in a random id, because some file systems treat `Lines`
 * and `lines`, or two Unicode forms of one name, as the same.
 *
 * @param id 10 hex digits
 */
export function batchFolder(name: string, id: string): string {
  return `${shortened(name)}-${id}`;
}

/**
 * Returns the batch name in a folder's name, shortened as {@link batchFolder} does; undefined if the folder belongs to
 * something else.
 */
export function batchOfFolder(folder: string): string | undefined {
  return FOLDER_ID.test(folder) ? folder.replace(FOLDER_ID, '') : undefined;
}

/** Returns the prefix of the folders of all batches of a name. Folders of longer names may share the prefix. */
export function folderPrefix(name: string): string {
  return `${shortened(name)}-`;
}

/** Whether a folder may belong to a batch of this name. Long names with the same beginning cannot be told apart. */
export function isFolderOf(name: string, folder: string): boolean {
  return batchOfFolder(folder) === shortened(name);
}

function shortened(name: string): string {
  return Array.from(name).slice(0, MAX_FOLDER_NAME_LENGTH).join('');
}
