import { createHash, hash, randomUUID } from 'node:crypto';
import { pipeline } from 'node:stream/promises';
import type { Bytes } from '../bytes.ts';
import { StoredFileRefused } from '../errors.ts';
import type { Outage } from '../outage.ts';
import { requireSame, type StoreMarks } from '../owner-file.ts';
import type { KeptFile, Reused } from '../store.ts';
import { bucketAddress, type BucketPlace } from './address.ts';
import { BucketClient, UNKNOWN_TO_SERVER } from './client.ts';
import { credentialSource } from './credentials.ts';
import { leaseObject, readObject } from './download.ts';
import { headObject, listObjects, type ObjectFacts, removeObject, storedWith } from './objects.ts';
import { claimPrefix, claimPrefixId, idOfPrefix, ownerOfPrefix } from './owner-object.ts';
import { Scratch } from './scratch.ts';
import { REFUSAL_CODES } from './refused-object.ts';
import { readServer } from './settings.ts';
import { Uploads } from './upload.ts';

/** The largest object that S3 copies in one request, bytes. */
const MOST_COPIED = 5 * 1024 ** 3;

/** Bytes in a bucket that was opened. */
export interface BucketBytes extends Bytes {
  readonly presign: NonNullable<Bytes['presign']>;
  readonly outage: Outage;
  /** Who has claimed the prefix, if anybody has. */
  owner(): Promise<string | undefined>;
  /** What the prefix says of itself. */
  marks(): Promise<StoreMarks>;
  /** Writes an object, lists it, reads it, and removes it; returns the marks. */
  probe(): Promise<StoreMarks>;
}

/** Opens a place in a bucket; sends nothing yet. Throws `BucketUnusable` if the settings do not suffice. */
export async function openBucketBytes(place: BucketPlace, env: NodeJS.ProcessEnv): Promise<BucketBytes> {
  const client = new BucketClient(place, await readServer(place, env), credentialSource(env));
  const uploads = new Uploads(client);
  const scratch = new Scratch();
  const full = (key: string): string => `${place.prefix}${key}`;
  let claimed: string | undefined;
  const bytes: BucketBytes = {
    outage: client.outage,
    owner: () => ownerOfPrefix(client, place.prefix),
    marks: async () => ({ owner: await bytes.owner(), id: await idOfPrefix(client, place.prefix) }),
    probe: async () => {
      const key = `.probe-${randomUUID()}`;
      const body = Buffer.from('voxbatch doctor');
      await bytes.put(key, { from: body, bytes: body.length, sha256: hash('sha256', body, 'hex') });
      try {
        (await bytes.read(key)).destroy();
        await bytes.list('.probe-')[Symbol.asyncIterator]().next();
      } finally {
        await bytes.remove([key]);
      }
      return bytes.marks();
    },
    partsIn: () => Promise.resolve(scratch.folder),
    claim: async (owner) => {
      claimed = owner;
      return claimPrefix(client, place.prefix, owner);
    },
    claimId: (id) => claimPrefixId(client, place.prefix, id),
    requireStillThere: async () => {
      if (claimed !== undefined) requireSame(bucketAddress(place), claimed, await bytes.owner());
    },
    put: (key, content) => uploads.put(full(key), content),
    read: (key, range) => readObject(client, full(key), range),
    lease: (key) => leaseObject(client, full(key), scratch),
    copy: async (file, key) => {
      const source = await headObject(client, full(file.key));
      if (source === undefined) return 'missing';
      if (source.bytes !== file.bytes) return 'altered';
      try {
        if (!(await holds(bytes, source, file))) return 'altered';
        const copied =
          source.bytes <= MOST_COPIED && (await copyObject(client, full(file.key), source, full(key), file.sha256));
        return copied === false ? await copyHere(bytes, file, key) : copied;
      } catch (error) {
        if (error instanceof StoredFileRefused) return 'missing';
        throw error;
      }
    },
    presign: (key, lifetimeMs) => client.signer.presign(full(key), lifetimeMs),
    stat: async (key) => {
      const found = await headObject(client, full(key));
      if (found === undefined) return undefined;
      const { bytes: length, isArchived, writtenAt } = found;
      return { id: key, bytes: length, names: 1, isArchived, writtenAt };
    },
    list: async function* (prefix) {
      for await (const key of listObjects(client, full(prefix))) yield key.slice(place.prefix.length);
    },
    remove: async (keys) => {
      await Promise.all(keys.map((key) => removeObject(client, full(key))));
    },
    sweep: async () => {
      // Without a prefix, uploads of other programs are among them, and nothing tells whose they are.
      const ours = place.prefix === '' ? Promise.resolve() : uploads.sweep(place.prefix).catch(() => undefined);
      await Promise.all([scratch.sweep(), ours]);
    },
    close: async () => {
      client.close();
      await scratch.close();
    },
  };
  return bytes;
}

/** Whether an object has the recorded content: by our record of its upload, otherwise by reading it. */
async function holds(bytes: Bytes, source: ObjectFacts, file: KeptFile): Promise<boolean> {
  if (source.sha256 !== undefined) return source.sha256 === file.sha256;
  const hash = createHash('sha256');
  await pipeline(await bytes.read(file.key), hash);
  return hash.digest('hex') === file.sha256;
}

/** Lets the server copy an object, if it is still the one that was looked at. False: it does not. */
async function copyObject(
  client: BucketClient,
  from: string,
  source: ObjectFacts,
  key: string,
  sha256: string,
): Promise<Reused['type'] | false> {
  const headers = {
    ...storedWith(key, sha256),
    'x-amz-metadata-directive': 'REPLACE',
    'x-amz-copy-source': client.copySource(from),
    'x-amz-copy-source-if-match': source.etag,
  };
  const accepts = [404, 412, UNKNOWN_TO_SERVER, 'NoSuchKey', 'PreconditionFailed', 'AccessDenied', ...REFUSAL_CODES];
  const { status, code } = await client.ask({
    method: 'PUT',
    key,
    headers,
    accepts,
    root: 'CopyObjectResult',
    isSlow: true,
  });
  if (code === undefined) return 'reused';
  if (status === 404 || code === 'NoSuchKey') return 'missing';
  // Copying it here tells whether it is the source that is refused, or the place of the copy, or only this kind of request.
  return status === 412 || code === 'PreconditionFailed' ? 'altered' : false;
}

async function copyHere(bytes: Bytes, file: KeptFile, key: string): Promise<Reused['type']> {
  const lease = await bytes.lease(file.key);
  if (lease === undefined) return 'missing';
  try {
    await bytes.put(key, { from: lease.path, bytes: file.bytes, sha256: file.sha256 });
    return 'reused';
  } finally {
    await lease.release();
  }
}
