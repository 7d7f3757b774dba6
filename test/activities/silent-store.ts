import type { Dependencies } from '../../activities/dependencies.ts';
import type { Store } from '../../store/store.ts';

/** A store that finds every sound silent. `onWrite`: called for each file that it is given. */
export function findingAllSilent(onWrite: () => void = () => undefined): (deps: Dependencies) => { store: Store } {
  return ({ store }) => ({
    store: {
      ...store,
      write: async (stem, body, expectation, onReceived) => {
        onWrite();
        const file = await store.write(stem, body, expectation, onReceived);
        return expectation.family === 'audio' ? { ...file, unfit: 'silent' } : file;
      },
      find: async (stem, wanted) => {
        const file = await store.find(stem, wanted);
        return file === undefined ? undefined : { ...file, unfit: 'silent' };
      },
    },
  });
}
