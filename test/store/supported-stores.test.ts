import { resolve } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { readStoreAddress } from '../../store/supported-stores.ts';

describe('readStoreAddress', () => {
  it.each(['store', '/media/store', 'a:b', 'C:\\store'])('takes the path of a folder: %s', (path) => {
    expect(readStoreAddress(path)).toEqual({ type: 'address', address: resolve(path) });
  });

  it.each([
    ['s3://bucket', 's3://bucket'],
    ['s3://my.bucket-1/', 's3://my.bucket-1'],
    ['S3://bucket/a//b/', 's3://bucket/a/b'],
  ])('takes a place in a bucket: %s', (url, address) => {
    expect(readStoreAddress(url)).toEqual({ type: 'address', address });
  });

  it.each([
    ['s3://key:secret@bucket/x', 'an s3: URL that is none'],
    ['s3://bucket/../other', 'an s3: URL that is none'],
    ['s3://bucket/x?region=secret', 'an s3: URL that is none'],
    ['s3://', 'an s3: URL that is none'],
    ['s3:/media/x', 'an s3: URL that is none'],
    ['S3:media', 'an s3: URL that is none'],
    ['GS://secret@bucket', 'a gs: URL'],
  ])('refuses another URL, and repeats only its scheme: %s', (url, got) => {
    const expected = 'the path of a folder, or s3://bucket/prefix';
    expect(readStoreAddress(url)).toEqual({ type: 'refused', expected, got });
  });
});
