import { join } from 'node:path';
import { JOIN, KEEP, REUSE, SECONDS, type MediaThreads } from './media-threads.ts';
import type { OwnedFolder } from './owner-file.ts';
import { PARTS_FOLDER } from './put-in-folder.ts';
import type { StoredFile } from './store.ts';
import type { WorkOnMedia } from './work-on-media.ts';

/** Works directly on the files of a folder: each job of a media thread checks, writes, syncs and names its file. */
export function workInFolder(into: OwnedFolder, threads: MediaThreads): WorkOnMedia {
  const { root } = into;
  return {
    keep: (stem, expectation, received) => async (): Promise<StoredFile> => {
      const stored = await threads.run(KEEP, { into: { ...into }, stem, expectation, ...received });
      if (stored === undefined) throw new Error(`Expected ${stem} to be stored, but it was not.`);
      return stored;
    },
    find: (stem, { family, extension }) => {
      const expectation = { family, ...(extension === undefined ? {} : { extension }) };
      return threads.run(KEEP, { into: { ...into }, stem, expectation, from: undefined });
    },
    reuse: (file, stem) => threads.run(REUSE, { ...into, file, stem, parts: join(root, PARTS_FOLDER) }),
    seconds: ({ key, ...file }) => threads.run(SECONDS, { ...file, path: join(root, key) }),
    join: async (files, stem) => {
      const parts = { ...into };
      const found = files.map((file) => ({ ...file, path: join(root, file.key) }));
      const joined = await threads.run(JOIN, { files: found, stem, parts, into: parts });
      if (joined.type !== 'joined') return joined;
      return { type: 'joined', file: joined.file };
    },
  };
}
