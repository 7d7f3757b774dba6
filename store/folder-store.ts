import { createHash, randomUUID } from 'node:crypto';
import { createReadStream, createWriteStream } from 'node:fs';
import { mkdir, open, opendir, rename, rm, stat } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { StoreUnwritable, UnsafeName } from './errors.ts';
import { BodyMeter } from './body-meter.ts';
import { EXTENSIONS } from './sniff.ts';
import { UnfitBody, type Expectation, type Store, type StoredFile } from './store.ts';
import { checkWhole } from './whole.ts';

/** Read-only: users have hard links to these files, and a tool that writes in place would spoil what was paid for. */
const FILE_MODE = 0o444;
/** A part file that was not written for this long belongs to nobody: a request waits 3 minutes at most. */
const PART_AGE_MS = 3_600_000;

/**
 * Opens a store in a folder, making it if there is none. Several processes may use one at once, also over a shared disk.
 * Throws {@link StoreUnwritable} if the folder cannot be made.
 */
export async function openFolderStore(folder: string): Promise<Store> {
  const root = resolve(folder);
  await makeFolder(root);
  return {
    write: (stem, body, expectation) => write(root, stem, body, expectation),
    find: (stem, extension) => find(root, stem, extension),
    read: (key) => read(root, key),
    pathOf: (key) => pathOf(root, key),
    sweep: () => sweep(root),
  };
}

async function write(root: string, stem: string, body: Readable, expectation: Expectation): Promise<StoredFile> {
  // It may fail before the pipeline listens; without a listener that would end the process. The pipeline sees it all the same.
  body.on('error', () => undefined);
  let part: string;
  try {
    part = `${pathOf(root, stem)}.${randomUUID()}.part`;
    if (expectation.extension !== undefined) checkExtension(expectation.extension);
    await makeFolder(dirname(part));
  } catch (error) {
    body.destroy();
    throw error;
  }
  try {
    const meter = new BodyMeter(expectation);
    await stream(body, meter, part);
    const { bytes, sha256, extension } = meter.finish();
    await check(part, extension, bytes, expectation.family);
    const stored = { key: `${stem}.${extension}`, bytes, sha256, extension };
    const path = pathOf(root, stored.key);
    await onDisk(path, async () => {
      await rename(part, path);
      await syncFolder(dirname(path));
    });
    return stored;
  } catch (error) {
    // The first error is the one to tell. A part that cannot be removed now is swept later.
    await rm(part, { force: true }).catch(() => undefined);
    throw error;
  }
}

/** Streams the body into the part file, synced at the end. Tells apart whether the body failed, its content, or the disk. */
async function stream(body: Readable, meter: BodyMeter, part: string): Promise<void> {
  const file = createWriteStream(part, { flags: 'wx', mode: FILE_MODE, flush: true });
  // The pipeline passes the first error on to all streams, so whoever had it first is to blame.
  let culprit: 'body' | 'disk' | undefined = body.errored === null ? undefined : 'body';
  body.once('error', () => (culprit ??= 'body'));
  file.once('error', () => (culprit ??= 'disk'));
  try {
    await pipeline(body, meter, file);
  } catch (error) {
    if (error instanceof UnfitBody) throw error;
    const { code, name } = error as NodeJS.ErrnoException;
    if (name === 'AbortError' || name === 'CanceledError') throw error;
    if (culprit === 'body' || code === 'ERR_STREAM_PREMATURE_CLOSE') {
      throw new UnfitBody(`The body broke off after ${meter.bytes} bytes (${code ?? name}).`);
    }
    throw new StoreUnwritable(part, error);
  }
}

async function check(part: string, extension: string, bytes: number, family: Expectation['family']): Promise<void> {
  const file = await onDisk(part, () => open(part, 'r'));
  try {
    await checkWhole(file, bytes, extension, family);
  } finally {
    await file.close();
  }
}

async function find(root: string, stem: string, wanted?: string): Promise<StoredFile | undefined> {
  pathOf(root, stem);
  if (wanted !== undefined) checkExtension(wanted);
  for (const extension of wanted === undefined ? EXTENSIONS : [wanted]) {
    const key = `${stem}.${extension}`;
    const path = pathOf(root, key);
    if (!(await isFile(path))) continue;
    const hash = createHash('sha256');
    let bytes = 0;
    for await (const chunk of createReadStream(path) as AsyncIterable<Buffer>) {
      hash.update(chunk);
      bytes += chunk.length;
    }
    return { key, bytes, sha256: hash.digest('hex'), extension };
  }
  return undefined;
}

async function read(root: string, key: string): Promise<Readable> {
  const file = await open(pathOf(root, key), 'r');
  return file.createReadStream();
}

/** Path of a stem or key, which must lie inside the store. */
function pathOf(root: string, name: string): string {
  const isSafe =
    !/[\0\\]/.test(name) && name.split('/').every((segment) => segment !== '' && segment !== '.' && segment !== '..');
  if (!isSafe) throw new UnsafeName(name);
  return join(root, name);
}

function checkExtension(extension: string): void {
  if (!/^[a-z0-9]+$/.test(extension) || extension === 'part') throw new UnsafeName(`.${extension}`);
}

async function sweep(root: string): Promise<void> {
  const before = Date.now() - PART_AGE_MS;
  for await (const entry of await opendir(root, { recursive: true })) {
    if (!entry.isFile() || !entry.name.endsWith('.part')) continue;
    const path = join(entry.parentPath, entry.name);
    // Another process may sweep, or finish its file, at the same moment.
    const found = await stat(path).catch(() => undefined);
    if (found !== undefined && found.mtimeMs < before) await rm(path, { force: true });
  }
}

async function isFile(path: string): Promise<boolean> {
  try {
    return (await stat(path)).isFile();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return false;
    throw error;
  }
}

async function makeFolder(path: string): Promise<void> {
  await onDisk(path, async () => {
    const first = await mkdir(path, { recursive: true });
    if (first !== undefined) await syncFolder(dirname(first));
  });
}

/** Makes a new name in a folder survive a power cut. Windows cannot open folders, and does not need it. */
async function syncFolder(path: string): Promise<void> {
  if (process.platform === 'win32') return;
  const folder = await open(path, 'r');
  try {
    await folder.sync();
  } finally {
    await folder.close();
  }
}

async function onDisk<R>(path: string, action: () => Promise<R>): Promise<R> {
  try {
    return await action();
  } catch (error) {
    throw new StoreUnwritable(path, error);
  }
}
