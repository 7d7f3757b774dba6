import { expect, it } from '@jest/globals';
import { hash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { BucketClient } from '../../store/s3/client.ts';
import { credentialSource } from '../../store/s3/credentials.ts';
import { type BucketBytes, openBucketBytes } from '../../store/s3/s3-bytes.ts';
import { readServer } from '../../store/s3/settings.ts';
import { Uploads } from '../../store/s3/upload.ts';
import { endAfterTest } from '../support/end-after-test.ts';
import { freshFolder } from '../support/fresh-folder.ts';
import { s3ForFile, s3Server } from './server.ts';

/** What `deploy/s3` grants, on a server that knows users and enforces the policy of a bucket. */

s3ForFile();

const PREFIX = 'voxbatch/';
const BUCKET = { bucket: 'media', prefix: '', address: 's3://media' };
const DENIED = { code: 'AccessDenied' };

interface Statement {
  readonly Sid: string;
  readonly Action: readonly string[];
}

/** The statements of a file, for this bucket and prefix. */
function statementsOf(file: string): readonly Statement[] {
  const text = readFileSync(fileURLToPath(new URL(`../../deploy/s3/${file}`, import.meta.url)), 'utf8');
  const named = text.replaceAll('BUCKET', BUCKET.bucket).replaceAll('PREFIX', PREFIX.slice(0, -1));
  return (JSON.parse(named) as { readonly Statement: readonly Statement[] }).Statement;
}

async function openClient(env: NodeJS.ProcessEnv): Promise<BucketClient> {
  const client = new BucketClient(BUCKET, await readServer(BUCKET, env), credentialSource(env));
  endAfterTest(() => {
    client.close();
  });
  return client;
}

/** Makes a user with this policy. Returns their settings. */
async function userWith(policy: string, name: string): Promise<NodeJS.ProcessEnv> {
  const server = s3Server();
  const { env } = server;
  const user = server.addUser(name);
  // A policy of a bucket also says whom it is for.
  const statements = statementsOf(policy).map((one) => ({ ...one, Principal: { AWS: [name] } }));
  const body = JSON.stringify({ Version: '2012-10-17', Statement: statements });
  const request = { method: 'PUT', key: '', query: { policy: '' } } as const;
  const headers = { 'x-amz-content-sha256': hash('sha256', body, 'hex') };
  const signed = await (await openClient(env)).signer.sign({ ...request, headers });
  const url = new URL(signed.path, env['AWS_ENDPOINT_URL_S3']);
  const answer = await fetch(url, { method: 'PUT', headers: signed.headers, body });
  if (!answer.ok) throw new Error(await answer.text());
  return user;
}

async function open(prefix: string, env: NodeJS.ProcessEnv): Promise<BucketBytes> {
  const bytes = await openBucketBytes({ ...BUCKET, prefix }, env);
  endAfterTest(() => bytes.close());
  return bytes;
}

const contentOf = (text: string): { from: Buffer; bytes: number; sha256: string } => {
  const from = Buffer.from(text);
  return { from, bytes: from.length, sha256: hash('sha256', from, 'hex') };
};

async function keysIn(bytes: BucketBytes): Promise<readonly string[]> {
  const keys: string[] = [];
  for await (const key of bytes.list('b/')) keys.push(key);
  return keys.toSorted();
}

it('a worker does all that a store needs below its prefix, and nothing beside it', async () => {
  const env = await userWith('worker-policy.json', 'worker');
  const bytes = await open(PREFIX, env);
  expect(await bytes.claim('me')).toBe('me');
  expect(await bytes.claimId('this')).toBe('this');
  expect(await bytes.probe()).toEqual({ owner: 'me', id: 'this' });
  await bytes.put('b/1.mp3', contentOf('sound'));
  const large = `${freshFolder()}/large`;
  const body = Buffer.alloc(20_000_000, 1);
  await writeFile(large, body);
  const file = { key: 'b/2.mp4', extension: 'mp4', bytes: body.length, sha256: hash('sha256', body, 'hex') };
  await bytes.put(file.key, { from: large, bytes: file.bytes, sha256: file.sha256 });
  expect(await bytes.copy(file, 'b/3.mp4')).toBe('reused');
  expect(await keysIn(bytes)).toEqual(['b/1.mp3', 'b/2.mp4', 'b/3.mp4']);
  await bytes.remove(['b/1.mp3', 'b/2.mp4', 'b/3.mp4']);
  expect(await bytes.stat('b/1.mp3')).toBeUndefined();
  // What an upload that was broken off has left, which would be billed for ever.
  const client = await openClient(env);
  await client.ask({ method: 'POST', key: `${PREFIX}b/4.mp4`, query: { uploads: '' } });
  await new Uploads(client).sweep(PREFIX, 0);
  const { text } = await client.ask({ method: 'GET', query: { uploads: '', prefix: PREFIX } });
  expect(text).not.toContain('<UploadId>');

  const beside = await open('other/', env);
  await expect(beside.put('b/1.mp3', contentOf('sound'))).rejects.toMatchObject(DENIED);
  await expect(keysIn(beside)).rejects.toMatchObject(DENIED);
});

it('a reader reads and lists what is below the prefix, and changes nothing', async () => {
  const { env: owner } = s3Server();
  await (await open(PREFIX, owner)).put('b/1.mp3', contentOf('sound'));
  await (await open('other/', owner)).put('b/1.mp3', contentOf('secret'));
  const env = await userWith('reader-policy.json', 'reader');
  const bytes = await open(PREFIX, env);
  expect(await bytes.stat('b/1.mp3')).toMatchObject({ bytes: 5 });
  expect(await keysIn(bytes)).toEqual(['b/1.mp3']);
  expect(await (await fetch((await bytes.presign('b/1.mp3', 60_000)).url)).text()).toBe('sound');
  await expect(bytes.put('b/2.mp3', contentOf('sound'))).rejects.toMatchObject(DENIED);
  await expect(bytes.remove(['b/1.mp3'])).rejects.toMatchObject(DENIED);
  await expect((await open('other/', env)).read('b/1.mp3')).rejects.toMatchObject(DENIED);
});
