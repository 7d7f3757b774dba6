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
