import { openFolderStore } from '../../store/folder-store.ts';
import type { Store } from '../../store/store.ts';
import { endAfterTest } from '../support/end-after-test.ts';

/** A store in this folder, closed after the test. */
export function storeIn(...opened: Parameters<typeof openFolderStore>): Store {
  const store = openFolderStore(...opened);
  endAfterTest(() => store.close());
  return store;
}
