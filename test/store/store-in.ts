import { openFolderBytes } from '../../store/folder-bytes.ts';
import { openMediaStore, type StoreOptions } from '../../store/media-store.ts';
import type { Store } from '../../store/store.ts';
import { endAfterTest } from '../support/end-after-test.ts';

/** A store in this folder, closed after the test. */
export function storeIn(folder: string, options?: StoreOptions): Store {
  const store = openMediaStore(openFolderBytes(folder), options);
  endAfterTest(() => store.close());
  return store;
}
