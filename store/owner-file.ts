import { randomUUID } from 'node:crypto';
import { constants } from 'node:fs';
import { link, open, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { StoreUnwritable } from './errors.ts';

/** Holds the id of the ledger that owns a folder's files. */
const OWNER_FILE = '.ledger';
/** Holds the random id of a claimed folder. Stores that earlier versions claimed lack it. */
const ID_FILE = '.store';

/** A store's owner and id, as it keeps them itself. */
export interface StoreMarks {
  /** Id of the ledger that has claimed the store. */
  readonly owner?: string | undefined;
  /** The random id of the store itself. */
  readonly id?: string | undefined;
}

/** The folder of a store. */
export interface OwnedFolder {
  readonly root: string;
  /** Id of the ledger that has claimed it. Absent if unclaimed or unknown. */
  readonly owner?: string | undefined;
}

/**
 * Claims a folder for this owner if it is unclaimed. Returns the owner. Throws {@link StoreUnwritable}, also if this
 * owner's folder is no longer writable, because the next paid result could not be stored.
 */
export async function claimFolder(folder: string, owner: string): Promise<string> {
  const before = await readMark(folder, OWNER_FILE);
  return before === undefined || before === owner ? claim(folder, OWNER_FILE, owner) : before;
}

/** Gives a folder this id if it has none. Returns its id. Throws {@link StoreUnwritable}. */
export async function claimFolderId(folder: string, id: string): Promise<string> {
  return (await readMark(folder, ID_FILE)) ?? claim(folder, ID_FILE, id);
}

/** Reads a folder's owner and id; neither if it is missing. Changes nothing. Throws {@link StoreUnwritable}. */
export async function readMarks(folder: string): Promise<StoreMarks> {
  return { owner: await readMark(folder, OWNER_FILE), id: await readMark(folder, ID_FILE) };
}

/** Reads one of both files of a folder; undefined if it is missing. Throws {@link StoreUnwritable}. */
async function readMark(folder: string, name: string): Promise<string | undefined> {
  const path = join(folder, name);
  // Opening a pipe would wait for a writer. Without blocking, it reads as empty.
  const flag = constants.O_RDONLY | constants.O_NONBLOCK;
  return readFile(path, { encoding: 'utf8', flag }).catch((error: unknown) => {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw new StoreUnwritable(path, error);
  });
}

/**
 * Checks that the claimed folder still exists and has the same owner: it may have been moved, or its disk unmounted.
 * Throws {@link StoreUnwritable}.
 */
export async function requireStillThere({ root, owner }: OwnedFolder): Promise<void> {
  if (owner !== undefined) requireSame(root, owner, await readMark(root, OWNER_FILE));
}

/** Throws {@link StoreUnwritable} unless the present owner of a store is the one who `claimed` it. */
export function requireSame(place: string, claimed: string, now: string | undefined): void {
  if (claimed === now) return;
  // Looks like a system's disk error, so that the receiver blames neither the body nor the link.
  const gone = { code: 'GONE', syscall: 'open' };
  throw new StoreUnwritable(place, Object.assign(new Error('this store is not there any more'), gone));
}

/**
 * Creates a file with this text, unless another process does so first. Returns the text of the file that exists then.
 * The file appears only once it is complete.
 */
async function claim(folder: string, name: string, text: string): Promise<string> {
  const path = join(folder, name);
  try {
    return await create(path, text);
  } catch (error) {
    throw new StoreUnwritable(path, error);
  }
}

async function create(path: string, text: string): Promise<string> {
  const part = `${path}.${randomUUID()}.part`;
  const file = await open(part, 'wx', 0o600);
  try {
    await file.writeFile(text);
    await file.sync();
    await link(part, path).catch((error: unknown) => {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    });
  } finally {
    await file.close();
    await rm(part, { force: true });
  }
  return readFile(path, 'utf8');
}
