import { readdir, stat } from 'node:fs/promises';
import { join, parse, sep } from 'node:path';
import { isGlob } from './manifest-place.ts';

/**
 * Finds the files that match a glob (see `isGlob`), sorted by code units so that the order is the same on every
 * machine. Names with a leading dot match only patterns with one. Throws if an existing folder cannot be read, because
 * its rows would otherwise be dropped silently.
 */
export async function expandGlob(pattern: string): Promise<readonly string[]> {
  const { root } = parse(pattern);
  const segments = pattern
    .slice(root.length)
    .split(sep)
    .filter((segment) => segment !== '');
  const found: string[] = [];
  await walk(root, segments, found);
  return [...new Set(found)].sort();
}

/** Adds the files below a folder that match the remaining segments. */
async function walk(folder: string, [segment, ...rest]: readonly string[], found: string[]): Promise<void> {
  if (segment === undefined) return;
  if (segment === '**') {
    await walk(folder, rest, found);
    // Symbolic links are not followed here, because they may form a cycle.
    for (const name of await namesIn(folder, /^[^.]/, 'folders')) {
      await walk(join(folder, name), [segment, ...rest], found);
    }
    return;
  }
  const isLast = rest.length === 0;
  const names = isGlob(segment)
    ? await namesIn(folder, matcherOf(segment), isLast ? 'files' : 'folders-and-links')
    : [segment];
  for (const name of names) {
    const path = join(folder, name);
    if (!isLast) await walk(path, rest, found);
    else if (isGlob(segment) || (await isFile(path))) found.push(path);
  }
}

/** Lists the matching names in a folder. */
async function namesIn(
  folder: string,
  matches: RegExp,
  what: 'files' | 'folders' | 'folders-and-links',
): Promise<readonly string[]> {
  const entries = await readdir(folder === '' ? '.' : folder, { withFileTypes: true }).catch(noneIfAbsent);
  const names: string[] = [];
  for (const entry of entries) {
    if (!matches.test(entry.name)) continue;
    const isLink = entry.isSymbolicLink();
    // A link may lead elsewhere than to a folder; then `walk` finds nothing in it.
    const fits =
      what === 'files'
        ? entry.isFile() || (isLink && (await isFile(join(folder, entry.name))))
        : entry.isDirectory() || (isLink && what === 'folders-and-links');
    if (fits) names.push(entry.name);
  }
  return names;
}

/** Returns no entries for a missing folder, or a path that is not a folder. Throws any other error. For `catch`. */
function noneIfAbsent(error: unknown): readonly never[] {
  const { code = '' } = error as NodeJS.ErrnoException;
  if (code === 'ENOENT' || code === 'ENOTDIR') return [];
  throw error;
}

/** Returns the regular expression for a segment of a glob. */
function matcherOf(segment: string): RegExp {
  const source = segment
    .replaceAll(/[\\^$.|+()[\]{}]/g, String.raw`\$&`)
    .replaceAll(/\*+/g, '.*')
    .replaceAll('?', '.');
  return new RegExp(`^${segment.startsWith('.') ? '' : '(?!\\.)'}${source}$`, 'su');
}

async function isFile(path: string): Promise<boolean> {
  return (await stat(path).catch(() => undefined))?.isFile() ?? false;
}
