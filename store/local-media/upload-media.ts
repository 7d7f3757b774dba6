import type { StoreUrls } from '../store.ts';
import type { LocalMediaLinks } from './media-links.ts';
import { VerifiedFiles } from './verified-files.ts';

const DYING =
  'the session of the credentials for the bucket ends before the file can be fetched, and cannot be renewed now: sign in again, or start this process with new ones';

/** Folder of a store for uploaded local media. No batch can have its name. */
export const UPLOADS_FOLDER = '_inputs';

/** Key of an uploaded file; `name` names its content. */
export function uploadKeyOf(name: string): string {
  return `${UPLOADS_FOLDER}/${name}`;
}

/** A job that is started at once fetches its files within this time, ms. */
const LEAST_MS = 300_000;

/**
 * Hands out local media by uploading them to a store whose files have URLs: each content once, whatever its files are
 * called. A file is verified before, so a changed one is told from a store that is away. Whether it is there is asked
 * before each request, because `cache prune` may have removed it.
 */
export function uploadMedia(urls: StoreUrls): LocalMediaLinks {
  const files = new VerifiedFiles();
  return {
    async prepare({ path, bytes, sha256, name }) {
      const { handle } = await files.open({ path, bytes, sha256 });
      await handle.close();
      await urls.upload({ path, bytes, sha256 }, uploadKeyOf(name));
    },
    linkTo: async ({ name }, validMs) => {
      const { url, livesMs } = await urls.presign(uploadKeyOf(name), validMs);
      if (livesMs < Math.min(validMs, LEAST_MS)) throw new Error(DYING);
      return url;
    },
    close: () => Promise.resolve(),
  };
}
