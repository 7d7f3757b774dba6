import type { StoreUrls } from '../store.ts';
import type { MediaLinks } from './media-links.ts';
import { VerifiedFiles } from './verified-files.ts';

/** Folder of a store for uploaded local media. No batch can have its name. */
export const UPLOADS_FOLDER = '_inputs';

/** Key of an uploaded file; `name` names its content. */
export function uploadKeyOf(name: string): string {
  return `${UPLOADS_FOLDER}/${name}`;
}

/**
 * Hands out local media by uploading them to a store whose files have URLs: each content once, whatever its files are
 * called. A file is verified before, so a changed one is told from a store that is away. Whether it is there is asked
 * before each request, because `cache prune` may have removed it.
 */
export function uploadMedia(urls: StoreUrls): MediaLinks {
  const files = new VerifiedFiles();
  return {
    async prepare({ path, bytes, sha256, name }) {
      const { handle } = await files.open({ path, bytes, sha256 });
      await handle.close();
      await urls.upload({ path, bytes, sha256 }, uploadKeyOf(name));
    },
    linkTo: ({ name }, validMs) => urls.presign(uploadKeyOf(name), validMs),
    close: () => Promise.resolve(),
  };
}
