import { readFileSync, statSync } from 'node:fs';

/** The table of the kernel's file locks: `1: POSIX  ADVISORY  READ 4711 fd:01:262143 1073741826 1073742335`. */
const TABLE = '/proc/locks';

/**
 * The processes that hold a lock on one of these files, to name them to a person. Empty where that cannot be known, as
 * on macOS, or where they run in another container.
 */
export function lockHolders(files: readonly string[]): readonly number[] {
  const inodes = new Set(files.flatMap((file) => statSync(file, { throwIfNoEntry: false })?.ino ?? []));
  const pids = readTable()
    .map((line) => /\s(?<pid>\d+) [\da-f]+:[\da-f]+:(?<inode>\d+) /.exec(line)?.groups)
    .flatMap((found) => (found !== undefined && inodes.has(Number(found['inode'])) ? [Number(found['pid'])] : []));
  return [...new Set(pids)].filter((pid) => pid > 0 && pid !== process.pid).sort((one, other) => one - other);
}

function readTable(): readonly string[] {
  try {
    return readFileSync(TABLE, 'utf8').split('\n');
  } catch {
    return [];
  }
}
