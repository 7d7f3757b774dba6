import { expect, it } from '@jest/globals';
import { hash } from 'node:crypto';
import { text } from 'node:stream/consumers';
import { openBucketBytes } from '../../store/s3/s3-bytes.ts';
import { endAfterTest } from '../support/end-after-test.ts';
import { s3ForFile } from './server.ts';
import { userOfFolder } from './user-of-folder.ts';

s3ForFile();

it('a bucket that was made as a folder has no ACL, so its server fails with each copy of a user: it is made by reading and writing', async () => {
  const bytes = await openBucketBytes(
    { bucket: 'folder', prefix: 'p/', address: 's3://folder/p' },
    await userOfFolder('folder'),
  );
  endAfterTest(() => bytes.close());
  const from = Buffer.from('sound');
  const file = { key: 'b/1.mp3', bytes: from.length, sha256: hash('sha256', from, 'hex'), extension: 'mp3' };
  await bytes.put(file.key, { ...file, from });
  expect(await bytes.copy(file, 'c/1.mp3')).toBe('reused');
  expect(await text(await bytes.read('c/1.mp3'))).toBe('sound');
  expect((await bytes.probe()).copyProblem).toMatch(/^InternalError: /);
});
