import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import type { Bytes } from './bytes.ts';
import { Folders } from './folders.ts';
import { startMediaThreads } from './media-threads.ts';
import { requireSafe, requireSafeStem } from './layout.ts';
import { newPart } from './put-in-folder.ts';
import { receiveBody } from './receive-body.ts';
import { findFfmpeg } from './sound/find-ffmpeg.ts';
import type { Expectation, Persist, Store, StoredFile, StoreUrls } from './store.ts';
import { workInFolder } from './work-in-folder.ts';
import { workOnCopies } from './work-on-copies.ts';
import type { WorkOnMedia } from './work-on-media.ts';

/** Options of {@link openMediaStore}. */
export interface StoreOptions {
  /** Max threads for large media, besides the one for small files. Each starts with its first job. Default 2. */
  readonly threads?: number;
  /**
   * Compiled `media-thread.ts`. Default: found beside the running code. Without one, as in tests that run the source,
   * the calling thread does the work.
   */
  readonly threadEntry?: URL;
  /** How long a second of a media job's deadline is, in ms. Default 1,000; tests use less. */
  readonly secondMs?: number;
  /** Environment variables for `findFfmpeg`. Default: none, so ffmpeg is not found. */
  readonly env?: NodeJS.ProcessEnv;
}

/**
 * Makes a {@link Store} of the driver of a place: adds the checks of media, in threads, and the checks of names. Called
 * by `openStore`.
 */
export function openMediaStore(bytes: Bytes, options: StoreOptions = {}): Store {
  const threads = startMediaThreads(options.threads ?? 2, options.threadEntry, options.secondMs);
  const { folder } = bytes;
  const work = folder === undefined ? workOnCopies(bytes, threads) : workInFolder(folder, threads);
  const place = { bytes, work, folders: new Folders() };
  return {
    claim: (owner) => bytes.claim(owner),
    claimId: (id) => bytes.claimId(id),
    requireStillThere: () => bytes.requireStillThere(),
    write: (stem, body, expectation, onReceived, persist) =>
      write(place, { stem, body, expectation, onReceived, persist }),
    find: async (stem, expectation) => {
      requireSafeStem(stem, expectation.extension);
      const found = await work.find(stem, expectation);
      if (found === undefined) await bytes.requireStillThere();
      return found;
    },
    reuse: async (file, stem) => {
      requireSafeStem(stem, file.extension);
      requireSafe(file.key);
      const reused = await work.reuse(file, stem);
      if (reused.type === 'missing') await bytes.requireStillThere();
      return reused;
    },
    seconds: async (file) => {
      requireSafe(file.key);
      return work.seconds(file);
    },
    join: async (files, stem) => {
      requireSafeStem(stem);
      for (const { key } of files) requireSafe(key);
      const joined = await work.join(files, stem);
      if (joined.type === 'damaged') await bytes.requireStillThere();
      return joined;
    },
    ffmpeg: () => findFfmpeg(options.env ?? {}),
    read: async (key) => {
      requireSafe(key);
      return bytes.read(key);
    },
    pathOf: (key) => {
      requireSafe(key);
      return folder && join(folder.root, key);
    },
    list: (name) => {
      requireSafe(name);
      return bytes.list(`${name}/`);
    },
    folders: (prefix) => bytes.folders(prefix),
    measure: async (keys) => {
      for (const key of keys) requireSafe(key);
      return Promise.all(keys.map((key) => bytes.stat(key)));
    },
    remove: async (keys) => {
      for (const key of keys) requireSafe(key);
      await bytes.remove(keys);
    },
    ...(bytes.outage === undefined ? {} : { outage: bytes.outage }),
    ...(bytes.presign === undefined ? {} : { urls: urlsOf(bytes, bytes.presign) }),
    sweep: () => bytes.sweep(),
    close: async () => {
      await threads.close();
      await bytes.close();
    },
  };
}

/** Uploads each content only once at a time, however many rows name it. */
function urlsOf(bytes: Pick<Bytes, 'put' | 'stat'>, presign: NonNullable<Bytes['presign']>): StoreUrls {
  const uploads = new Map<string, Promise<void>>();
  const upload: StoreUrls['upload'] = async ({ path, ...content }, key) => {
    const there = await bytes.stat(key);
    if (there?.bytes !== content.bytes || there.isArchived === true) await bytes.put(key, { from: path, ...content });
  };
  return {
    upload: (file, key) => {
      requireSafe(key);
      const running = uploads.get(key);
      if (running !== undefined) return running;
      const begun = upload(file, key).finally(() => uploads.delete(key));
      uploads.set(key, begun);
      return begun;
    },
    presign: (key, lifetimeMs) => {
      requireSafe(key);
      return presign(key, lifetimeMs);
    },
  };
}

/** What {@link write} needs of an opened store. */
interface Place {
  readonly bytes: Bytes;
  readonly work: WorkOnMedia;
  readonly folders: Folders;
}

/** The arguments of {@link Store.write}. */
interface Writing {
  readonly stem: string;
  readonly body: Readable | Buffer;
  readonly expectation: Expectation;
  readonly onReceived: (() => void | Promise<void>) | undefined;
  readonly persist: Persist | undefined;
}

/** Receives a body, then checks and stores it: see {@link Store.write}. */
async function write(
  { bytes, work, folders }: Place,
  { stem, body, expectation, onReceived, persist }: Writing,
): Promise<StoredFile> {
  try {
    requireSafeStem(stem, expectation.extension);
  } catch (error) {
    // The body will not be read, so its connection is ended.
    if (!Buffer.isBuffer(body)) body.destroy();
    throw error;
  }
  const { parts } = bytes;
  const path = newPart(parts.root);
  const received = await receiveBody(body, expectation, { path, store: parts, folders, persist });
  await onReceived?.();
  // Checks the body, and gives it its name. That writes to the disk, too, so `persist` may repeat it for a part file.
  const keep = work.keep(stem, expectation, received);
  const isPart = received.from === path;
  return (isPart && persist !== undefined ? persist(keep) : keep()).catch(async (error: unknown) => {
    if (isPart) await rm(path, { force: true }).catch(() => undefined);
    throw error;
  });
}
