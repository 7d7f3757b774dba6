import { randomUUID } from 'node:crypto';
import { link, open, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { StoreUnwritable } from './errors.ts';

/** Says in a folder whose files it holds. */
const OWNER_FILE = '.ledger';

/** The folder of a store. */
export interface OwnedFolder {
  readonly root: string;
  /** Who has claimed it. Default: nobody has, or nobody knows. */
  readonly owner?: string | undefined;
}

/**
 * Makes a folder this owner's if it is nobody's. Returns whose it is. Throws {@link StoreUnwritable}, also if the
 * folder is this owner's and can no longer be written to: what is paid for next could not be kept.
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

/** Whose the folder is; undefined if it is nobody's, or not there. Changes nothing. Throws {@link StoreUnwritable}. */
export async function ownerOf(folder: string): Promise<string | undefined> {
  const path = join(folder, OWNER_FILE);
  try {
    return await read(path);
  } catch (error) {
    throw new StoreUnwritable(path, error);
  }
}

/**
 * Checks that the folder is still there as the one that its owner claimed: it may have been moved away, or its disk is not
 * mounted any more. Throws {@link StoreUnwritable}.
 */
export async function requireStillThere({ root, owner }: OwnedFolder): Promise<void> {
  if (owner === undefined || (await ownerOf(root)) === owner) return;
  // As the system reports a disk: who was receiving a file blames neither that nor the link.
  const gone = { code: 'GONE', syscall: 'open' };
  throw new StoreUnwritable(root, Object.assign(new Error('this store is not there any more'), gone));
}

async function read(path: string): Promise<string | undefined> {
  return readFile(path, 'utf8').catch((error: unknown) => {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  });
}

/** Under its name only when it is whole: of several who begin at once, one makes it. */
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
