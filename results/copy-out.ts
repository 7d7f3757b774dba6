import { createWriteStream } from 'node:fs';
import { realpath, rename, rm } from 'node:fs/promises';
import { pipeline } from 'node:stream/promises';
import type { FileLoss } from '../contract/file-loss.ts';
import type { Store } from '../store/store.ts';
import { copyStored, hasContent, checkStored, linkOrRename, statsOf, type RecordedFile } from './files.ts';
import { partPath } from './atomic-file.ts';

/**
 * Outcome of a copy. `kept`: the file already had this content. `other`: it has different content and was not to be
 * replaced. Otherwise the store no longer gives the content on record, and nothing was written.
 */
export type CopiedOut = 'written' | 'kept' | 'other' | FileLoss;

/**
 * Copies a stored file to `given`, a path chosen by the user, outside any out folder; the file appears complete or not
 * at all. It is a copy, not a link, so that later edits do not alter the store. A target that is not a regular file (a
 * pipe, a device) is written to directly. `replace`: overwrite a file with other content.
 */
export async function copyOut(
  file: RecordedFile,
  store: Pick<Store, 'read'>,
  given: string,
  { replace }: { readonly replace: boolean },
): Promise<CopiedOut> {
  const there = await statsOf(given);
  if (there !== undefined && !there.isFile()) {
    // Check first: a pipe's reader cannot be told afterwards that the data was damaged.
    const is = await checkStored(file, store);
    if (is !== 'intact') return is;
    await pipeline(await store.read(file.key), createWriteStream(given, { flags: 'w' }));
    return 'written';
  }
  // Like other programs, writes to the target of a symbolic link.
  const path = there === undefined ? given : await realpath(given);
  if (there !== undefined && (await hasContent(path, file.sha256))) return 'kept';
  if (there !== undefined && !replace) return 'other';
  const part = partPath(path);
  try {
    const became = await copyStored(file, store, part);
    if (became !== 'copied') return became;
    if (replace) await rename(part, path);
    else if (!(await linkOrRename(part, path))) {
      // A concurrent run of the same command may have put the same content there.
      return (await hasContent(path, file.sha256, statsOf)) ? 'kept' : 'other';
    }
    return 'written';
  } finally {
    await rm(part, { force: true });
  }
}
