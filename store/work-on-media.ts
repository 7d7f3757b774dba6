import type { Received } from './receive-body.ts';
import type { Expectation, Joined, KeptFile, Reused, Store, StoredFile, StoredPart } from './store.ts';

/**
 * The part of a store that reads media, besides storing bytes. It differs by whether the files are in a local folder
 * (`work-in-folder.ts`) or not (`work-on-copies.ts`). Names were checked before.
 */
export interface WorkOnMedia {
  /** Returns a function that checks a received body and stores it; it may be called again after it failed. */
  keep(stem: string, expectation: Expectation, received: Received): () => Promise<StoredFile>;
  /** See {@link Store.find}. */
  find(stem: string, expectation: Pick<Expectation, 'family' | 'extension'>): Promise<StoredFile | undefined>;
  /** See {@link Store.reuse}. */
  reuse(file: KeptFile, stem: string): Promise<Reused>;
  /** See {@link Store.seconds}. */
  seconds(file: Parameters<Store['seconds']>[0]): Promise<number | undefined>;
  /** See {@link Store.join}. */
  join(files: readonly StoredPart[], stem: string): Promise<Joined>;
}
