import type { SearchedStore } from '../../batches/redrive/find-loss.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import type { BatchRecord } from '../../ledger/record-types.ts';
import { ownerOfStore } from '../../store/open-store.ts';
import type { Store } from '../../store/store.ts';
import { beforeWork } from '../before-work.ts';
import { VoxbatchError } from '../problem.ts';
import type { Settings } from '../settings.ts';

/** What is done with lost texts. */
export interface Rewriting {
  /** Opens the store once a lost text is to be stored again. Default: none is. */
  readonly open?: () => Promise<Pick<Store, 'write'>>;
  /** Called with the key of each such text, whether it is stored or not. */
  readonly onRewritten?: (key: string) => void;
}

/**
 * The store of a ledger, for a search for lost files of a batch. Makes and claims nothing, or a folder that should be
 * the mount point of the store's disk would become the store.
 *
 * `requireOwn` throws {@link VoxbatchError} (`store-missing`, `store-of-another`, `machine`).
 */
export function searchedStore(
  { store }: Pick<Settings, 'store'>,
  { id, place }: Pick<Ledger, 'id' | 'place'>,
  { name: batch }: Pick<BatchRecord, 'name'>,
  { open, onRewritten }: Rewriting = {},
): SearchedStore {
  return {
    folder: store,
    requireOwn: () =>
      beforeWork(async () => {
        const owner = await ownerOfStore(store);
        if (owner === id) return;
        const where = { store, ledger: place };
        throw new VoxbatchError(
          owner === undefined ? { type: 'store-missing', ...where, batch } : { type: 'store-of-another', ...where },
        );
      }),
    rewrite: async ({ file: { key, extension }, text }) => {
      const stem = key.slice(0, -`.${extension}`.length);
      await (await open?.())?.write(stem, Buffer.from(text), { family: 'text', extension });
      onRewritten?.(key);
    },
  };
}
