import { mediaTypeOf } from '../media-types.ts';
import type { BucketRequest } from './request.ts';

/** Metadata with the hash of an object's content, hex. S3 accepted the upload only with exactly that content. */
export const HASH_HEADER = 'x-amz-meta-sha256';

/**
 * Returns the headers to store an object with: its media type, for those who fetch it by a URL, and the hash of its
 * content (`sha256`, hex), which `headObject` (`objects.ts`) returns.
 */
export function objectHeaders(key: string, sha256: string): Readonly<Record<string, string>> {
  return { 'content-type': mediaTypeOf(key.slice(key.lastIndexOf('.') + 1)), [HASH_HEADER]: sha256 };
}

/** Returns the request that stores an object with this content in one piece. `sha256`: of the body, hex. */
export function putRequest(
  key: string,
  body: Uint8Array,
  sha256: string,
): BucketRequest & Required<Pick<BucketRequest, 'headers'>> {
  return { method: 'PUT', key, body, sha256, headers: objectHeaders(key, sha256) };
}
