import { orElse } from '../contract/or-else.ts';
import { constants, mkdirSync, openSync, readdirSync, statSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { shellWord } from '../contract/shell-word.ts';
import { firstLink, isOtherUser, removeOtherAccess } from './private-file.ts';
import { ServerUnavailable } from './server-unavailable.ts';

/** voxbatch's files and folders in a home. Paths are absolute. */
export interface HomeContent {
  readonly home: string;
  readonly logs: string;
  /** These two may be links: a user may keep them on another disk. */
  readonly ledger: string;
  readonly store: string;
  /** All our files in the home and its logs. Companion files lie beside them, with a suffix after the same name. */
  readonly files: readonly string[];
}

/**
 * Makes the home, our files in it, and its logs accessible only to their owner: they hold texts, payment records and
 * the address of an unprotected server. Media keep their mode, which they share with their hard links in out folders. A
 * folder with other content keeps its mode, because the user chose it as the home, unless it is named `.voxbatch`. If
 * another permitted user owns the home, such as root with a mounted volume, no mode changes.
 *
 * Throws {@link ServerUnavailable} for a home of another user, who could read and change everything (root may work
 * there), and if one of our files is a symbolic link, which may come from somebody else's folder and could make us
 * overwrite any of the user's files.
 */
export function keepPrivate({ home, logs, ledger, store, files }: HomeContent): void {
  const me = process.geteuid?.();
  if (me === undefined) return;
  const { uid } = statSync(home);
  refuseOtherUser(home);
  const within = (folder: string): readonly string[] => readdirSync(folder).map((name) => join(folder, name));
  const isOurs = (path: string): boolean =>
    [...files, ledger].some((one) => path === one || path.startsWith(`${one}.`) || path.startsWith(`${one}-`));
  const inHome = within(home);
  const own = [...inHome, ...within(logs)].filter(isOurs);
  refuseLinks([logs, ...own.filter((path) => path !== ledger)]);
  if (uid !== me) return;
  const isAllOurs = inHome.every((path) => isOurs(path) || path === logs || path === store);
  if (isAllOurs || basename(home) === '.voxbatch') removeOtherAccess(home);
  for (const path of [logs, store, ...own]) removeOtherAccess(path);
}

/** Throws {@link ServerUnavailable} for a home of another user; see {@link otherUserError}. */
export function refuseOtherUser(home: string): void {
  const refusal = otherUserError(home);
  if (refusal !== undefined) throw refusal;
}

/**
 * Returns the error for a home of another user, who could read and change everything. Undefined if it is not another
 * user's (root may use any), or cannot be examined, in which case creating it will report why.
 */
export function otherUserError(home: string): ServerUnavailable | undefined {
  const me = process.geteuid?.();
  const uid = ownerOf(home);
  if (me === undefined || uid === undefined || !isOtherUser(uid, me)) return undefined;
  return new ServerUnavailable(
    `${home} belongs to another user (uid ${uid}), who could read and change everything in it.`,
    `If it is yours: sudo chown -R "$(id -u)" ${shellWord(home)}. If it is not, set VOXBATCH_HOME to a folder of your own.`,
  );
}

/** Returns the uid of a path's owner; undefined if the path cannot be examined. */
export function ownerOf(path: string): number | undefined {
  return orElse(() => statSync(path).uid, undefined);
}

/**
 * Opens one of our logs for appending and returns its file descriptor. Creates the log and its folder with owner-only
 * access, because the home may not have been checked yet. Throws {@link ServerUnavailable} if either is a symbolic
 * link.
 */
export function openOwnLog(file: string): number {
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  refuseLinks([dirname(file), file]);
  return openSync(file, constants.O_WRONLY | constants.O_APPEND | constants.O_CREAT | constants.O_NOFOLLOW, 0o600);
}

/** Throws {@link ServerUnavailable} if one of the paths is a symbolic link. */
function refuseLinks(paths: readonly string[]): void {
  const found = firstLink(paths);
  if (found === undefined) return;
  throw new ServerUnavailable(
    `${found} is a symbolic link, which could lead to any file of yours.`,
    `Remove it: rm ${shellWord(found)}`,
  );
}
