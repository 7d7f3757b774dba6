import { constants, mkdirSync, openSync, readdirSync, statSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { shellWord } from '../contract/shell-word.ts';
import { firstLink, takeFromOthers } from './private-file.ts';
import { ServerUnavailable } from './server-unavailable.ts';

/** What we keep in a home; paths are absolute. */
export interface HomeContent {
  readonly home: string;
  readonly logs: string;
  /** These two may be links: a user may keep them on another disk. */
  readonly ledger: string;
  readonly store: string;
  /** All files of ours, in the home or its logs. Others lie beside them, under the same name and more. */
  readonly files: readonly string[];
}

/**
 * Takes the home, and what we keep in it and its logs, from everybody but its owner: it holds texts, money and the address of a
 * server without a key. Media keep their mode, which they share with their other names in out folders. A folder that holds more than
 * ours keeps its own mode: its user has named it as the home. So does one of root's, as a mounted volume may be.
 *
 * Throws {@link ServerUnavailable} for a home of another user, who could read and change everything (root may work there), and where one
 * of our files is a symbolic link: it may have come with a folder, and would have us write over any file of this user.
 */
export function keepPrivate({ home, logs, ledger, store, files }: HomeContent): void {
  const me = process.geteuid?.();
  if (me === undefined) return;
  const { uid } = statSync(home);
  refuseAnothers(home);
  const within = (folder: string): readonly string[] => readdirSync(folder).map((name) => join(folder, name));
  const isOurs = (path: string): boolean =>
    [...files, ledger].some((one) => path === one || path.startsWith(`${one}.`) || path.startsWith(`${one}-`));
  const inHome = within(home);
  const own = [...inHome, ...within(logs)].filter(isOurs);
  refuseLinks([logs, ...own.filter((path) => path !== ledger)]);
  if (uid !== me) return;
  const isAllOurs = inHome.every((path) => isOurs(path) || path === logs || path === store);
  if (isAllOurs || basename(home) === '.voxbatch') takeFromOthers(home);
  for (const path of [logs, store, ...own]) takeFromOthers(path);
}

/** Throws {@link ServerUnavailable} for a home of another user; see {@link whyAnothers}. */
export function refuseAnothers(home: string): void {
  const refusal = whyAnothers(home);
  if (refusal !== undefined) throw refusal;
}

/**
 * Why nobody may work in a home of another user, who could read and change everything; undefined: it is none (root may work there), or cannot be seen:
 * whoever makes it says why it cannot.
 */
export function whyAnothers(home: string): ServerUnavailable | undefined {
  const me = process.geteuid?.();
  const uid = ownerOf(home);
  if (me === undefined || uid === undefined || !isAnothers(uid, me)) return undefined;
  return new ServerUnavailable(
    `${home} belongs to another user (uid ${uid}), who could read and change everything in it.`,
    `If it is yours: sudo chown -R "$(id -u)" ${shellWord(home)}. If it is not, set VOXBATCH_HOME to a folder of your own.`,
  );
}

/** Whose a path is; undefined if it cannot be seen. */
export function ownerOf(path: string): number | undefined {
  try {
    return statSync(path).uid;
  } catch {
    return undefined;
  }
}

/**
 * Opens a log of ours to append to it, and makes it and its folder, for their owner alone: before anybody has looked at the home, too. Throws
 * {@link ServerUnavailable} where either is a symbolic link.
 */
export function openOwnLog(file: string): number {
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  refuseLinks([dirname(file), file]);
  return openSync(file, constants.O_WRONLY | constants.O_APPEND | constants.O_CREAT | constants.O_NOFOLLOW, 0o600);
}

function refuseLinks(paths: readonly string[]): void {
  const found = firstLink(paths);
  if (found === undefined) return;
  throw new ServerUnavailable(
    `${found} is a symbolic link, which could lead to any file of yours.`,
    `Remove it: rm ${shellWord(found)}`,
  );
}

/** Whether a folder of this owner is another user's. Root can read everything anyway, and owns many a mounted volume. */
export function isAnothers(owner: number, me: number): boolean {
  return owner !== me && owner !== 0 && me !== 0;
}
