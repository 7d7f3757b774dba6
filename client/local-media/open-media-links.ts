import { randomBytes } from 'node:crypto';
import { constants } from 'node:fs';
import { link, open, unlink } from 'node:fs/promises';
import { serveMediaOf } from '../../contract/serve-media.ts';
import { pathsIn } from '../../embedded/home.ts';
import type { LocalMediaLinks } from '../../store/local-media/media-links.ts';
import type { Store } from '../../store/store.ts';
import { VoxbatchError } from '../problem.ts';
import type { Settings } from '../settings.ts';

/**
 * Returns what makes links to local media, so that the API can fetch them: a media server in this process, if one is
 * configured (`serveMedia`), or else uploads to the store, if it is a bucket. Undefined if there is neither. Throws
 * {@link VoxbatchError} (`no-media-port`) if another program listens on the server's port.
 */
export async function openMediaLinks(
  { config, home }: Pick<Settings, 'config' | 'home'>,
  { urls }: Pick<Store, 'urls'>,
): Promise<LocalMediaLinks | undefined> {
  const place = serveMediaOf(config);
  if (place === undefined) return urls && (await import('../../store/local-media/upload-media.ts')).uploadMedia(urls);
  const { MediaPortTaken, serveMedia } = await import('../../store/local-media/serve-media.ts');
  const { KEY_BYTES } = await import('../../store/local-media/link-seal.ts');
  try {
    return await serveMedia(place, await readOrCreateKey(pathsIn(home).mediaKey, KEY_BYTES));
  } catch (error) {
    if (!(error instanceof MediaPortTaken)) throw error;
    const { host, port } = place;
    // The message of this error is the system's error code.
    throw new VoxbatchError({ type: 'no-media-port', host, port, code: error.message });
  }
}

/**
 * Returns the key that authenticates a home's links; creates it if the file is missing. It is kept in a file, because
 * links must stay valid when the process that made them has ended.
 */
async function readOrCreateKey(path: string, bytes: number): Promise<Buffer> {
  const known = await readKey(path, bytes);
  if (known !== undefined) return known;
  // Written under another name first, so that no process reads a partial key; the first process to link it wins.
  const part = `${path}.${String(process.pid)}`;
  const file = await open(part, 'w', 0o600);
  try {
    await file.writeFile(randomBytes(bytes));
    await file.sync();
  } finally {
    await file.close();
  }
  await link(part, path).catch((error: unknown) => {
    if ((error as { code?: unknown }).code !== 'EEXIST') throw error;
  });
  await unlink(part);
  const made = await readKey(path, bytes);
  if (made === undefined)
    throw new Error(`${path} is no key of links to media. Remove it, and run the same command again.`);
  return made;
}

/**
 * Reads a key; undefined if the file is missing or has another length. Follows no symbolic link, which could lead to a
 * file that others can read.
 */
async function readKey(path: string, bytes: number): Promise<Buffer | undefined> {
  try {
    const file = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW);
    try {
      const key = await file.readFile();
      return key.length === bytes ? key : undefined;
    } finally {
      await file.close();
    }
  } catch (error) {
    if ((error as { code?: unknown }).code === 'ENOENT') return undefined;
    throw error;
  }
}
