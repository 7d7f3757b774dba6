import { lstat } from 'node:fs/promises';
import { join, posix } from 'node:path';
import { LinkedFolder } from './errors.ts';
import { isAbsent } from './files.ts';

/** Max folders remembered; a file name template may give each row its own folder. */
const MAX_KNOWN = 10_000;

/** Returns the first of these paths that is a symbolic link, if any. Throws if one cannot be examined. */
export async function firstLink(paths: readonly string[]): Promise<string | undefined> {
  for (const path of paths) if (await isLink(path)) return path;
  return undefined;
}

async function isLink(path: string): Promise<boolean> {
  try {
    return (await lstat(path)).isSymbolicLink();
  } catch (error) {
    if (isAbsent(error)) return false;
    throw error;
  }
}

/**
 * Checks that the folders below an out folder are no symbolic links, while files are written there: the out folder may
 * come from somebody else, and a link in it could make us overwrite any of the user's files. Each folder is checked
 * once, because there may be a million files. The out folder itself has been checked before.
 */
export class RealFolders {
  /** The out folder. */
  readonly out: string;
  readonly #known = new Set<string>();

  constructor(out: string) {
    this.out = out;
  }

  /**
   * Throws {@link LinkedFolder} if a folder on the path to one of these files is a symbolic link. `names` are paths
   * below the out folder, with `/`. Missing folders are fine: they will be created as real ones.
   */
  async require(names: readonly string[]): Promise<void> {
    for (const name of names) {
      const link = await this.#linkTo(posix.dirname(name));
      if (link !== undefined) throw new LinkedFolder(link);
    }
  }

  /**
   * Returns whether the path to a file has no symbolic link. Files behind a link are not ours and must not be removed.
   */
  async leadTo(name: string): Promise<boolean> {
    return (await this.#linkTo(posix.dirname(name))) === undefined;
  }

  /** Returns the first symbolic link on the path to a folder. */
  async #linkTo(folder: string): Promise<string | undefined> {
    if (folder === '.' || this.#known.has(folder)) return undefined;
    const link = (await this.#linkTo(posix.dirname(folder))) ?? (await firstLink([join(this.out, folder)]));
    if (link !== undefined) return link;
    if (this.#known.size >= MAX_KNOWN) this.#known.clear();
    this.#known.add(folder);
    return undefined;
  }
}
