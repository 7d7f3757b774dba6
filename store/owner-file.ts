import { randomUUID } from 'node:crypto';
import { constants } from 'node:fs';
import { link, open, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { StoreUnwritable } from './errors.ts';

/** Names the owner of a folder's files. */
const OWNER_FILE = '.ledger';
/** Has the random id of a folder that is claimed. Stores claimed before there were ids lack it. */
const ID_FILE = '.store';

/** What a store says of itself. */
export interface StoreMarks {
  /** The id of the ledger that has claimed it, if one has. */
  readonly owner?: string | undefined;
  /** Its own random id, if it has one. */
  readonly id?: string | undefined;
}

/** The folder of a store. */
export interface OwnedFolder {
  readonly root: string;
  /** Whoever has claimed it. Absent if unclaimed or unknown. */
  readonly owner?: string | undefined;
}

/**
 * Claims a folder for this owner if it is unclaimed, and returns its owner. Throws {@link StoreUnwritable}, also if the
 * folder is this owner's but no longer writable, because the next paid result could not be kept.
 */
export async function claimFolder(folder: string, owner: string): Promise<string> {
  const path = join(folder, OWNER_FILE);
  try {
    const before = await read(path);
    return before === undefined || before === owner ? await claim(path, owner) : before;
  } catch (error) {
    throw new StoreUnwritable(path, error);
  }
}

/** Gives a folder this id if it has none, and returns the one that it has. Throws {@link StoreUnwritable}. */
export async function claimFolderId(folder: string, id: string): Promise<string> {
  const path = join(folder, ID_FILE);
  try {
    return (await read(path)) ?? (await claim(path, id));
  } catch (error) {
    throw new StoreUnwritable(path, error);
  }
}

/** What a folder says of itself; nothing if it is missing. Changes nothing. Throws {@link StoreUnwritable}. */
export async function readMarks(folder: string): Promise<StoreMarks> {
  const owner = await ownerOf(folder);
  const path = join(folder, ID_FILE);
  try {
    return { owner, id: await read(path) };
  } catch (error) {
    throw new StoreUnwritable(path, error);
  }
}

/** The folder's owner; undefined if it is unclaimed or missing. Changes nothing. Throws {@link StoreUnwritable}. */
async function ownerOf(folder: string): Promise<string | undefined> {
  const path = join(folder, OWNER_FILE);
  try {
    return await read(path);
  } catch (error) {
    throw new StoreUnwritable(path, error);
  }
}

/**
 * Checks that the claimed folder still exists and has the same owner: it may have been moved, or its disk unmounted.
 * Throws {@link StoreUnwritable}.
 */
export async function requireStillThere({ root, owner }: OwnedFolder): Promise<void> {
  if (owner !== undefined) requireSame(root, owner, await ownerOf(root));
}

/** Throws {@link StoreUnwritable} unless a store's place still has the owner who claimed it. */
export function requireSame(place: string, claimed: string, now: string | undefined): void {
  if (claimed === now) return;
  // Looks like a system's disk error, so that the receiver blames neither the body nor the link.
  const gone = { code: 'GONE', syscall: 'open' };
  throw new StoreUnwritable(place, Object.assign(new Error('this store is not there any more'), gone));
}

async function read(path: string): Promise<string | undefined> {
  // To open a pipe would wait for a writer; read like this, it is empty.
  const flag = constants.O_RDONLY | constants.O_NONBLOCK;
  return readFile(path, { encoding: 'utf8', flag }).catch((error: unknown) => {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  });
}

/** The owner file appears only when whole; of several concurrent claims, one wins. */
async function claim(path: string, owner: string): Promise<string> {
  const part = `${path}.${randomUUID()}.part`;
  const file = await open(part, 'wx', 0o600);
  try {
    await file.writeFile(owner);
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
