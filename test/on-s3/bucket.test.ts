import { describe, expect, it, jest } from '@jest/globals';
import { createHash, randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { stat, writeFile } from 'node:fs/promises';
import { isLocalError } from '../../api/local-errors.ts';
import { StoreUnwritable } from '../../store/errors.ts';
import { claimPrefix } from '../../store/s3/s3-bytes.ts';
import { textsOf } from '../../store/s3/xml.ts';
import { endAfterTest } from '../support/end-after-test.ts';
import { freshFolder } from '../support/fresh-folder.ts';
import { openClient, openPlace, s3ForFile, s3Server } from './server.ts';

/** A bucket on a real server that refuses, goes away, and comes back. */

s3ForFile();

const sha256 = (content: Buffer): string => createHash('sha256').update(content).digest('hex');
const contentOf = (body: Buffer): { from: Buffer; bytes: number; sha256: string } => ({
  from: body,
  bytes: body.length,
  sha256: sha256(body),
});

it('is claimed by one of many who try at once', async () => {
  const client = await openClient();
  const prefix = `${randomUUID()}/`;
  const owners = await Promise.all(['a', 'b', 'c', 'd', 'e', 'f'].map((who) => claimPrefix(client, prefix, who)));
  expect(new Set(owners).size).toBe(1);
});

describe('settings that are wrong', () => {
  it.each([
    ['a wrong secret', { AWS_SECRET_ACCESS_KEY: 'wrong' }, 'SignatureDoesNotMatch', 'Check AWS_ACCESS_KEY_ID'],
    ['a key of nobody', { AWS_ACCESS_KEY_ID: 'nobody' }, 'InvalidAccessKeyId', 'Check AWS_ACCESS_KEY_ID'],
    ['a wrong region', { AWS_REGION: 'eu-west-3' }, 'AuthorizationHeaderMalformed', 'set AWS_REGION'],
  ])('%s is named, with what to do', async (_name, env, code, words) => {
    const bytes = await openPlace(undefined, env);
    const claiming = bytes.claim('me');
    await expect(claiming).rejects.toMatchObject({ code, name: 'BucketUnusable' });
    await expect(claiming).rejects.toThrow(words);
    await expect(claiming).rejects.toThrow(StoreUnwritable);
    expect(isLocalError(await claiming.catch((error: unknown) => error))).toBe(true);
  });

  it('a bucket that is not there is not taken for one that has lost its files', async () => {
    const { env } = s3Server();
    const { openBucketBytes } = await import('../../store/s3/s3-bytes.ts');
    const bytes = await openBucketBytes({ bucket: 'no-such-bucket', prefix: '', address: 's3://no-such-bucket' }, env);
    endAfterTest(() => bytes.close());
    const uses = [
      () => bytes.claim('me'),
      () => bytes.read('b/1.mp3'),
      () => bytes.put('b/1.mp3', contentOf(Buffer.from('x'))),
    ];
    for (const use of uses) await expect(use()).rejects.toThrow('Create the bucket, or correct VOXBATCH_STORE');
  });

  it('a place whose owner mark is gone is not there any more', async () => {
    const bytes = await openPlace();
    await bytes.claim('me');
    await bytes.requireStillThere();
    await bytes.remove(['.ledger']);
    await expect(bytes.requireStillThere()).rejects.toMatchObject({ code: 'GONE' });
  });
});

describe('a server that is killed', () => {
  it('is waited for: what is put, read and listed meanwhile goes through when it is back', async () => {
    const [server, bytes] = [s3Server(), await openPlace()];
    bytes.outage.limit(Infinity);
    const [small, large] = [Buffer.alloc(20_000, 1), Buffer.alloc(40_000_000, 2)];
    const path = `${freshFolder()}/large`;
    await writeFile(path, large);
    await bytes.put('b/0.mp3', contentOf(small));
    await server.kill();
    const puts = Array.from({ length: 20 }, (_, at) => bytes.put(`b/${String(at + 1)}.mp3`, contentOf(small)));
    const film = bytes.put('b/film.mp4', { ...contentOf(large), from: path });
    const reading = bytes.read('b/0.mp3');
    while (bytes.outage.trouble === undefined) await new Promise(setImmediate);
    expect(bytes.outage.trouble).toContain('ECONNREFUSED');
    const heard = bytes.outage.whenAnswered(new AbortController().signal);
    await server.start();
    await Promise.all([...puts, film, heard]);
    (await reading).destroy();
    const keys: string[] = [];
    for await (const key of bytes.list('b/')) keys.push(key);
    expect(keys).toHaveLength(22);
    expect(await bytes.stat('b/film.mp4')).toMatchObject({ bytes: large.length });
  });

  it('is given up after a while by who does not work, with what to do', async () => {
    const [server, bytes] = [s3Server(), await openPlace()];
    await server.kill();
    try {
      bytes.outage.limit(500);
      const reading = bytes.read('b/1.mp3');
      await expect(reading).rejects.toMatchObject({ code: 'AWAY', isAway: true });
      await expect(reading).rejects.toThrow('Check the network, and AWS_ENDPOINT_URL_S3');
    } finally {
      await server.start();
    }
  });
});

describe('a large file', () => {
  it('that changed since it was hashed is not stored, and no part of it is left', async () => {
    const bytes = await openPlace();
    const path = `${freshFolder()}/large`;
    const body = Buffer.alloc(40_000_000, 2);
    await writeFile(path, body);
    const other = { from: path, bytes: body.length, sha256: sha256(Buffer.from('other')) };
    await expect(bytes.put('b/1.mp4', other)).rejects.toMatchObject({ code: 'LOST' });
    expect(await bytes.stat('b/1.mp4')).toBeUndefined();
    const client = await openClient();
    const { text } = await client.ask({ method: 'GET', query: { uploads: '' } });
    expect(textsOf(text, 'UploadId')).toEqual([]);
  });

  it('whose upload nobody continues is swept, and a young one is not', async () => {
    const bytes = await openPlace('swept/');
    const client = await openClient();
    await client.ask({ method: 'POST', key: 'swept/b/1.mp4', query: { uploads: '' } });
    const uploads = async (): Promise<number> => {
      const { text } = await client.ask({ method: 'GET', query: { uploads: '', prefix: 'swept/' } });
      return textsOf(text, 'UploadId').length;
    };
    await bytes.sweep();
    expect(await uploads()).toBe(1);
    // Nor by a machine whose clock is days ahead, once the server has told it the time.
    const own = Date.now.bind(Date);
    const clock = jest.spyOn(Date, 'now').mockImplementation(() => own() + 3 * 86_400_000);
    try {
      await (await openPlace('swept/')).sweep();
    } finally {
      clock.mockRestore();
    }
    expect(await uploads()).toBe(1);
    const { Uploads } = await import('../../store/s3/upload.ts');
    await new Uploads(client).sweep('swept/', 0);
    expect(await uploads()).toBe(0);
  });
});

it('hands out a URL that needs no credentials, until it expires', async () => {
  const bytes = await openPlace('with space & more/');
  await bytes.put('b/1.mp3', contentOf(Buffer.from('sound')));
  const answer = await fetch((await bytes.presign('b/1.mp3', 60_000)).url);
  expect([answer.status, await answer.text()]).toEqual([200, 'sound']);
  expect(answer.headers.get('content-type')).toBe('audio/mpeg');
  const url = new URL((await bytes.presign('b/1.mp3', 60_000)).url);
  url.searchParams.set('X-Amz-Expires', '61');
  expect((await fetch(url)).status).toBe(403);
});

it('lists more than fits into one answer', async () => {
  const bytes = await openPlace();
  const keys = Array.from({ length: 1_205 }, (_, at) => `b/${String(at)}.mp3`);
  await Promise.all(keys.map((key) => bytes.put(key, contentOf(Buffer.from(key)))));
  const found: string[] = [];
  for await (const key of bytes.list('b/')) found.push(key);
  expect(found.toSorted()).toEqual(keys.toSorted());
});

it('makes a folder for copies only when there is one, and takes it away', async () => {
  const bytes = await openPlace();
  const { root } = bytes.parts;
  await bytes.put('b/1.mp3', contentOf(Buffer.from('sound')));
  expect(existsSync(root)).toBe(false);
  await bytes.lease('b/1.mp3');
  expect((await stat(root)).mode & 0o777).toBe(0o700);
  await bytes.close();
  expect(existsSync(root)).toBe(false);
});
