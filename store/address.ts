import { resolve } from 'node:path';

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

/** A place in a bucket. */
export interface BucketPlace {
  readonly bucket: string;
  /** What the names of all objects begin with: empty, or ends in `/`. */
  readonly prefix: string;
}

/** Reads `s3://bucket/prefix`; undefined if it is none. */
export function readBucketPlace(address: string): BucketPlace | undefined {
  const [, bucket, path = ''] =
    /^s3:\/\/([A-Za-z0-9][A-Za-z0-9._-]{1,61}[A-Za-z0-9])(?:\/([^?#\\\0]*))?$/i.exec(address) ?? [];
  if (bucket === undefined) return undefined;
  const names = path.split('/').filter((name) => name !== '');
  if (names.some((name) => name === '.' || name === '..')) return undefined;
  return { bucket, prefix: names.map((name) => `${name}/`).join('') };
}

/** `s3://bucket/prefix`, without a slash at its end. */
export function bucketAddress({ bucket, prefix }: BucketPlace): string {
  return `s3://${bucket}/${prefix}`.replace(/\/$/, '');
}
