import { lstatSync, type Stats } from 'node:fs';
import { dirname } from 'node:path';

/** Where to look; tests say others. */
export interface Looks {
  /** Effective user; undefined: the system has none. */
  readonly me?: number | undefined;
  readonly look?: (path: string) => Pick<Stats, 'uid'>;
}

/**
 * Says that a path is in a folder of another user, by the nearest folder that can be seen; undefined if it is not, or nobody can tell. Root's is nobody
 * else's: it owns many a mounted volume, which only lacks a right. `may`: what is refused.
 */
export function notYours(
  path: string,
  may: 'read' | 'write to',
  { me = process.geteuid?.(), look = lstatSync }: Looks = {},
): string | undefined {
  if (me === undefined) return undefined;
  for (let folder = dirname(path); ; folder = dirname(folder)) {
    const owner = ownerOf(folder, look);
    if (owner !== undefined)
      return owner === me || owner === 0
        ? undefined
        : `${folder} belongs to another user (uid ${String(owner)}), and is not yours to ${may}`;
    if (folder === dirname(folder)) return undefined;
  }
}

function ownerOf(folder: string, look: (path: string) => Pick<Stats, 'uid'>): number | undefined {
  try {
    return look(folder).uid;
  } catch {
    return undefined;
  }
}
