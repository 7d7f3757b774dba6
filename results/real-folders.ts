import { lstat } from 'node:fs/promises';
import { join, posix } from 'node:path';
import { isAbsent } from './files.ts';

/** Folders beyond this many are looked at again: a template may give each row one of its own. */
const MOST_KNOWN = 10_000;

/** A folder that leads to our files is a symbolic link. */
export class LinkedFolder extends Error {
  readonly path: string;

  constructor(path: string) {
    super(linkWords(path));
    this.name = 'LinkedFolder';
    this.path = path;
  }
}

/** Why nothing is written behind a symbolic link; a sentence without its full stop. */
export function linkWords(path: string): string {
  return `${path} is a symbolic link, which could lead to any folder of yours`;
}

/** The first of these paths that is a symbolic link; undefined: none is. Throws if one cannot be looked at. */
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
 * The folders below an out folder, for one writing. The out folder may have come from somebody else: a link in it would have us write
 * over any file of this user. Each folder is looked at once, because there may be a million files. What the out folder itself is was
 * decided before.
 */
export class RealFolders {
  /** The out folder. */
  readonly out: string;
  readonly #known = new Set<string>();

  constructor(out: string) {
    this.out = out;
  }

  /**
   * Throws {@link LinkedFolder} if a folder that leads to one of these files is a symbolic link. `names`: paths below the out folder, with
   * `/`. Folders that are not there yet are fine: whoever makes them makes real ones.
   */
  async require(names: readonly string[]): Promise<void> {
    for (const name of names) {
      const link = await this.#linkTo(posix.dirname(name));
      if (link !== undefined) throw new LinkedFolder(link);
    }
  }

  /** Whether only real folders lead to a file: what lies behind a link is none of ours, so it is not removed either. */
  async leadTo(name: string): Promise<boolean> {
    return (await this.#linkTo(posix.dirname(name))) === undefined;
  }

  async #linkTo(folder: string): Promise<string | undefined> {
    if (folder === '.' || this.#known.has(folder)) return undefined;
    const link = (await this.#linkTo(posix.dirname(folder))) ?? (await firstLink([join(this.out, folder)]));
    if (link !== undefined) return link;
    if (this.#known.size >= MOST_KNOWN) this.#known.clear();
    this.#known.add(folder);
    return undefined;
  }
}
