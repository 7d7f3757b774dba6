import { expect } from '@jest/globals';
import type { Bytes } from '../../store/bytes.ts';
import { openFolderBytes } from '../../store/folder-bytes.ts';
import { openMediaStore, type StoreOptions } from '../../store/media-store.ts';
import type { Store } from '../../store/store.ts';
import { openPlace, s3ForFile } from '../on-s3/server.ts';
import { endAfterTest } from '../support/end-after-test.ts';
import { freshFolder } from '../support/fresh-folder.ts';

/** A store and the bytes below it, for one test. */
export interface OpenedDriver {
  readonly bytes: Bytes;
  readonly store: Store;
}

/** A way to keep bytes that the same tests are run on. */
export interface Driver {
  readonly name: string;
  /** Called once, at the top of a test file. */
  prepare?(): void;
  /** Opens an empty place. */
  open(options?: StoreOptions): Promise<OpenedDriver>;
}

function opened(bytes: Bytes, options: StoreOptions = {}): OpenedDriver {
  const store = openMediaStore(bytes, options);
  endAfterTest(() => store.close());
  return { bytes, store };
}

/** The folder of a store, whose files media threads work on. */
const FOLDER: Driver = {
  name: 'a folder',
  open: (options) => Promise.resolve(opened(openFolderBytes(freshFolder()), options)),
};

/** A folder that is treated like a place on another machine: media threads work on copies. */
const COPIES: Driver = {
  name: 'a folder, by copies',
  open: (options) => {
    const { folder, ...bytes } = openFolderBytes(freshFolder());
    expect(folder.root).toBeDefined();
    return Promise.resolve(opened(bytes, options));
  },
};

/** A bucket on a real S3 server, with `npm run test:s3`. */
const BUCKET: Driver = {
  name: 'a bucket',
  prepare: s3ForFile,
  open: async (options) => opened(await openPlace(), options),
};

/** The drivers at hand. */
export const DRIVERS: readonly Driver[] = process.env['TEST_S3'] === undefined ? [FOLDER, COPIES] : [BUCKET];
