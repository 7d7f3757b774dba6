import { openFolderBytes } from './folder-bytes.ts';
import { openMediaStore, type StoreOptions } from './media-store.ts';
import type { Store } from './store.ts';
import { workInFolder } from './work-in-folder.ts';

/** Opens a store in a folder; see {@link openFolderBytes}. */
export function openFolderStore(folder: string, options: StoreOptions = {}): Store {
  const bytes = openFolderBytes(folder);
  return openMediaStore(bytes, (threads) => workInFolder(bytes.folder, threads), options);
}
