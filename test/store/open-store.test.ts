import { resolve } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { readStoreAddress } from '../../store/open-store.ts';

describe('readStoreAddress', () => {
  it.each(['store', '/media/store', 'a:b', 'C:\\store'])('takes the path of a folder: %s', (path) => {
    expect(readStoreAddress(path)).toEqual({ type: 'address', address: resolve(path) });
  });

  it.each([
    ['s3://bucket/secret', 'a s3: URL; S3 is not supported yet'],
    ['GS://secret@bucket', 'a gs: URL'],
  ])('refuses a URL, and repeats only its scheme: %s', (url, came) => {
    expect(readStoreAddress(url)).toEqual({ type: 'refused', expected: 'the path of a folder', came });
  });
});
