import type { StoreUrls } from '../store.ts';
import type { LocalMediaLinks } from './media-links.ts';
import { VerifiedFiles } from './verified-files.ts';

/** Why a link is refused: it would expire too soon. */
const SESSION_ENDS =
  'the session of the credentials for the bucket ends before the file can be fetched, and cannot be renewed now: sign in again, or start this process with new ones';

/** Top-level folder of a store for uploaded local media. No batch can have this name. */
export const UPLOADS_FOLDER = '_inputs';

/** Returns the key of an uploaded file. `name`: derived from its content, see `LinkedFile` (`media-links.ts`). */
export function uploadKeyOf(name: string): string {
  return `${UPLOADS_FOLDER}/${name}`;
}

/** Shortest useful life of a link, ms: a job that starts at once fetches its files within this time. */
const MIN_LIFETIME_MS = 300_000;

/**
 * Makes links to local media by uploading them to a bucket. Each content is uploaded once, whatever its files are
 * called. Verifies a file before its upload, so that a changed file is reported as such. Checks before each request
 * that the upload still exists, because `cache prune` may have removed it.
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
      if (livesMs < Math.min(validMs, MIN_LIFETIME_MS)) throw new Error(SESSION_ENDS);
      return url;
    },
    close: () => Promise.resolve(),
  };
}
