import { hash, randomUUID } from 'node:crypto';
import type { Bytes } from '../bytes.ts';
import type { Outage } from '../outage.ts';
import { requireSame, type StoreMarks } from '../owner-file.ts';
import { UNKNOWN_TO_SERVER } from './answers.ts';
import { BucketClient } from './client.ts';
import { Copies } from './copies.ts';
import { credentialSource } from './credentials.ts';
import { leaseObject, readObject } from './download.ts';
import { putRequest } from './object-headers.ts';
import { headObject, listFolders, listObjects, removeObject, readText } from './objects.ts';
import { Scratch } from './scratch.ts';
import { readServer, type BucketPlace } from './settings.ts';
import { Uploads } from './upload.ts';

/** The driver of a place in a bucket. */
export interface BucketBytes extends Bytes {
  readonly presign: NonNullable<Bytes['presign']>;
  readonly outage: Outage;
  readonly probe: NonNullable<Bytes['probe']>;
  /** Reads the owner and id of the store; neither if nobody has claimed it. */
  marks(): Promise<StoreMarks>;
}

/** Opens a place in a bucket. Sends no request yet. Throws `BucketUnusable` if settings are missing or malformed. */
export async function openBucketBytes(place: BucketPlace, env: NodeJS.ProcessEnv): Promise<BucketBytes> {
  const client = new BucketClient(place, await readServer(place, env), credentialSource(env));
  const uploads = new Uploads(client);
  const scratch = new Scratch();
  // Adds the prefix of the place to a key of the store.
  const full = (key: string): string => `${place.prefix}${key}`;
  const transfers: Pick<Bytes, 'put' | 'read' | 'lease'> = {
    put: (key, content) => uploads.put(full(key), content),
    read: (key, range) => readObject(client, full(key), range),
    lease: (key) => leaseObject(client, full(key), scratch),
  };
  const copies = new Copies(client, transfers, full);
  const readMark = (name: string): Promise<string | undefined> => readText(client, full(name));
  let claimed: string | undefined;
  const bytes: BucketBytes = {
    outage: client.outage,
    marks: async () => ({ owner: await readMark(OWNER_KEY), id: await readMark(ID_KEY) }),
    probe: async () => {
      await tryOperations(client, bytes);
      return { ...(await bytes.marks()), copyProblem: copies.problem };
    },
    parts: scratch.folder,
    claim: async (owner) => {
      claimed = owner;
      return claimPrefix(client, place.prefix, owner);
    },
    claimId: async (id) => (await readMark(ID_KEY)) ?? claim(client, full(ID_KEY), id),
    requireStillThere: async () => {
      if (claimed !== undefined) requireSame(place.address, claimed, await readMark(OWNER_KEY));
    },
    ...transfers,
    copy: (file, key) => copies.copy(file, key),
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
    folders: async function* (prefix) {
      for await (const key of listFolders(client, full(prefix))) yield key.slice(place.prefix.length, -1);
    },
    remove: async (keys) => {
      await Promise.all(keys.map((key) => removeObject(client, full(key))));
    },
    sweep: async () => {
      // Without a prefix, the unfinished uploads of other programs would be listed, too, and could not be told apart.
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

/** Puts, reads, copies, lists and removes test objects. */
async function tryOperations(client: BucketClient, bytes: Bytes): Promise<void> {
  const [key, copy] = [`.probe-${randomUUID()}`, `.probe-${randomUUID()}`];
  const body = Buffer.from('voxbatch doctor');
  const file = { key, bytes: body.length, sha256: hash('sha256', body, 'hex'), extension: 'txt' };
  await bytes.put(key, { ...file, from: body });
  try {
    (await bytes.read(key)).destroy();
    const copied = await bytes.copy(file, copy);
    if (copied !== 'reused')
      throw client.unusable({ code: 'CopyFailed', message: `an object that was just put is ${copied} for a copy` });
    await bytes.list('.probe-')[Symbol.asyncIterator]().next();
  } finally {
    await bytes.remove([key, copy]);
  }
}

/** Key of the object that holds the id of the ledger that owns a prefix. */
const OWNER_KEY = '.ledger';
/** Key of the object that holds the random id of a claimed prefix. Stores that earlier versions claimed lack it. */
const ID_KEY = '.store';

/**
 * Claims a prefix for this owner if it is unclaimed. Returns its owner. Writes even if the prefix is already this
 * owner's, so that missing rights to write are noticed before anything is paid for.
 */
export async function claimPrefix(client: BucketClient, prefix: string, owner: string): Promise<string> {
  const key = `${prefix}${OWNER_KEY}`;
  const before = await readText(client, key);
  return before === undefined || before === owner ? claim(client, key, owner) : before;
}

/**
 * Creates an object with this text unless it exists. Returns the text that it has then: of several concurrent claims,
 * one wins. On servers without conditional writes (501), the last one wins.
 */
async function claim(client: BucketClient, key: string, text: string): Promise<string> {
  const put = putRequest(key, Buffer.from(text), hash('sha256', text, 'hex'));
  const headers = { ...put.headers, 'if-none-match': '*' };
  const { status } = await client.ask({ ...put, headers, accepts: [412, UNKNOWN_TO_SERVER] });
  if (status === UNKNOWN_TO_SERVER) await client.ask(put);
  return (await readText(client, key)) ?? text;
}
