import type { StoreOptions } from '../media-store.ts';
import { openMediaStore } from '../media-store.ts';
import type { Store } from '../store.ts';
import { workOnCopies } from '../work-on-copies.ts';
import type { BucketPlace } from '../address.ts';
import { openBucketBytes } from './s3-bytes.ts';

/** Opens a store in a bucket; see {@link openBucketBytes}. */
export async function openBucketStore(
  place: BucketPlace,
  env: NodeJS.ProcessEnv,
  options: StoreOptions,
): Promise<Store> {
  const bytes = await openBucketBytes(place, env);
  return openMediaStore(bytes, (threads) => workOnCopies(bytes, threads), options);
}
