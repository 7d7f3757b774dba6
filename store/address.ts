import { resolve } from 'node:path';
import { bucketAddress, readBucketPlace } from './s3/address.ts';

/**
 * A parsed store address, or the problem with it. Only a URL's scheme is quoted, because the rest may hold a password.
 */
export type StoreAddress =
  | {
      readonly type: 'address';
      /** Independent of the working directory. */
      readonly address: string;
    }
  | { readonly type: 'refused'; readonly expected: string; readonly got: string };

/** Reads an address as a user writes it: the path of a folder, or a place in a bucket. */
export function readStoreAddress(address: string): StoreAddress {
  // With a slash missing, a bucket is no folder either. Elsewhere a colon may be part of a name.
  const scheme = /^([a-z][a-z0-9+.-]*(?=:\/\/)|s3(?=:))/i.exec(address)?.[1]?.toLowerCase();
  if (scheme === undefined) return { type: 'address', address: resolve(address) };
  const place = readBucketPlace(address);
  if (place !== undefined) return { type: 'address', address: bucketAddress(place) };
  const expected = 'the path of a folder, or s3://bucket/prefix';
  return { type: 'refused', expected, got: scheme === 's3' ? 'an s3: URL that is none' : `a ${scheme}: URL` };
}
