import type { SearchedStore } from '../../batches/redrive/find-loss.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import type { BatchRecord } from '../../ledger/record-types.ts';
import { ownerOfStore } from '../../store/open-store.ts';
import type { Store } from '../../store/store.ts';
import { beforeWork } from '../before-work.ts';
import { VoxbatchError } from '../problem.ts';
import type { Settings } from '../settings.ts';

/**
 * The store of a ledger, for a search for lost files of a batch. Makes and claims nothing, or a folder that should be
 * the mount point of the store's disk would become the store.
 *
 * `requireOwn` throws {@link VoxbatchError} (`store-missing`, `store-of-another`, `machine`). `open`: opens the store once a
 * lost text is to be stored again; default: none is.
 */
export function searchedStore(
  { store }: Pick<Settings, 'store'>,
  { id, place }: Pick<Ledger, 'id' | 'place'>,
  { name: batch }: Pick<BatchRecord, 'name'>,
  open?: () => Promise<Pick<Store, 'write'>>,
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
    },
  };
}
