import { resolve } from 'node:path';
import type { Bytes } from './bytes.ts';
import type { StoreMarks } from './owner-file.ts';
import type { BucketBytes } from './s3/s3-bytes.ts';
import type { BucketPlace } from './s3/settings.ts';

/** A kind of place that can keep media. Everything specific to it is in its driver. */
interface MediaStoreKind {
  /** The scheme of its URLs; undefined if its addresses are paths. */
  readonly scheme: string | undefined;
  /** The form of its addresses, for messages. */
  readonly expected: string;
  /**
   * Resolves an address of this kind, so that it means the same in every working directory. Undefined if it is
   * malformed.
   */
  readonly resolve: (address: string) => string | undefined;
  /** What a malformed address of this scheme is called in messages. */
  readonly unreadable: string;
  /** Whether its files lie in a local (or mounted) folder, and take space on that disk. */
  readonly isFolder: boolean;
  /** Whether its files have URLs from which anybody can fetch them. */
  readonly hasUrls: boolean;
  /**
   * Opens a resolved address. Creates nothing, and contacts no other machine. Loads the driver's code only now, because
   * it takes a while and few commands need it.
   */
  readonly open: (address: string, env: NodeJS.ProcessEnv) => Promise<Bytes>;
  /** Reads the owner and id of the store at an address; neither if it is missing. Changes nothing. */
  readonly marks: (address: string, env: NodeJS.ProcessEnv) => Promise<StoreMarks>;
}

/** A folder of this machine, or a mounted one. */
const FOLDER: MediaStoreKind = {
  scheme: undefined,
  expected: 'the path of a folder',
  resolve: (path) => resolve(path),
  unreadable: 'no path',
  isFolder: true,
  hasUrls: false,
  open: async (path) => (await import('./folder-bytes.ts')).openFolderBytes(path),
  marks: async (path) => (await import('./owner-file.ts')).readMarks(path),
};

/** A bucket of S3, or of another server with its API. */
const BUCKET: MediaStoreKind = {
  scheme: 's3',
  expected: 's3://bucket/prefix',
  resolve: (url) => readBucketPlace(url)?.address,
  unreadable: 'an s3: URL that is none',
  isFolder: false,
  hasUrls: true,
  open: openBucket,
  marks: async (url, env) => {
    const bytes = await openBucket(url, env);
    return bytes.marks().finally(() => bytes.close());
  },
};

/** The kinds of places that can keep media. */
const MEDIA_STORES: readonly MediaStoreKind[] = [FOLDER, BUCKET];

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

/** Parses an address as a user writes it, such as in VOXBATCH_STORE. */
export function readStoreAddress(given: string): StoreAddress {
  const scheme = schemeOf(given);
  const kind = MEDIA_STORES.find((one) => one.scheme === scheme);
  const address = kind?.resolve(given);
  if (address !== undefined) return { type: 'address', address };
  const expected = MEDIA_STORES.map((one) => one.expected).join(', or ');
  return { type: 'refused', expected, got: kind?.unreadable ?? `a ${String(scheme)}: URL` };
}

/** Returns the kind of the store at an address from {@link readStoreAddress}. */
export function kindOfStore(address: string): Omit<MediaStoreKind, 'resolve'> {
  const scheme = schemeOf(address);
  return MEDIA_STORES.find((one) => one.scheme === scheme) ?? FOLDER;
}

/**
 * Returns the scheme of an address; undefined for a path. A known scheme needs no slashes, since `s3:bucket` is hardly
 * meant as a folder; with an unknown one, a colon may be part of a name.
 */
function schemeOf(address: string): string | undefined {
  const [, scheme, slashes] = /^([a-z][a-z0-9+.-]*):(\/\/)?/i.exec(address.toLowerCase()) ?? [];
  return slashes !== undefined || MEDIA_STORES.some((one) => one.scheme === scheme) ? scheme : undefined;
}

async function openBucket(url: string, env: NodeJS.ProcessEnv): Promise<BucketBytes> {
  const place = readBucketPlace(url);
  if (place === undefined) throw new Error(`Expected a place in a bucket, but got ${url}.`);
  return (await import('./s3/s3-bytes.ts')).openBucketBytes(place, env);
}

/** Parses `s3://bucket/prefix`; undefined if it is malformed. */
function readBucketPlace(url: string): BucketPlace | undefined {
  const [, bucket, path = ''] =
    /^s3:\/\/([A-Za-z0-9][A-Za-z0-9._-]{1,61}[A-Za-z0-9])(?:\/([^?#\\\0]*))?$/i.exec(url) ?? [];
  if (bucket === undefined) return undefined;
  const names = path.split('/').filter((name) => name !== '');
  if (names.some((name) => name === '.' || name === '..')) return undefined;
  const address = ['s3:/', bucket, ...names].join('/');
  return { bucket, prefix: names.map((name) => `${name}/`).join(''), address };
}
