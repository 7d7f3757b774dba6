import { createHash } from 'node:crypto';
import { openSync, readdirSync, writeSync, closeSync, chmodSync } from 'node:fs';
import { open, readdir, type FileHandle } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { beforeEach, describe, expect, it, jest } from '@jest/globals';
import { StoreUnwritable } from '../../store/errors.ts';
import type { Expectation, Persist, Store, StoredFile } from '../../store/store.ts';
import { folderForEach } from '../support/fresh-folder.ts';
import { wav } from './media.ts';
import { storeIn } from './store-in.ts';

const AUDIO: Expectation = { family: 'audio' };
/** 3 MB: far more than stays in memory. */
const LONG = wav(100);
/** In what is written third. */
const HOLE = { at: 1_600_000, bytes: 4_096 };

const folder = folderForEach();
let store: Store;
beforeEach(async () => {
  store = storeIn(folder());
  await store.claim('test');
});

function write(persist?: Persist, onReceived?: () => void): Promise<StoredFile> {
  const pieces = Array.from({ length: Math.ceil(LONG.length / 65_536) }, (_, at) =>
    LONG.subarray(at * 65_536, (at + 1) * 65_536),
  );
  return store.write('b/1', Readable.from(pieces, { objectMode: false }), AUDIO, onReceived, persist);
}

/** Makes a write twice if it fails. */
const twice: Persist = (again) =>
  again().catch((error: unknown) => {
    if (error instanceof StoreUnwritable) return again();
    throw error;
  });

/** What a disk does that did not write what it had taken. */
function leaveHole(): void {
  const [part = ''] = readdirSync(folder('.parts'));
  const path = folder('.parts', part);
  chmodSync(path, 0o644);
  const file = openSync(path, 'r+');
  writeSync(file, Buffer.alloc(HOLE.bytes), 0, HOLE.bytes, HOLE.at);
  closeSync(file);
}

/** The class of open files, whose methods the next ones inherit. */
async function fileClass(): Promise<FileHandle> {
  const file = await open(folder(), 'r');
  await file.close();
  return Object.getPrototypeOf(file) as FileHandle;
}

/** The next file that is written to says only when it is closed that it could not be written. */
async function failToClose(): Promise<jest.Mock> {
  const closed = jest.fn();
  const File = await fileClass();
  // eslint-disable-next-line @typescript-eslint/unbound-method -- called with its file below
  const writeTo = File.write as (this: FileHandle, ...args: unknown[]) => never;
  jest.spyOn(File, 'write').mockImplementationOnce(function (this: FileHandle, ...args: unknown[]) {
    const close = this.close.bind(this);
    this.close = async () => {
      closed();
      this.close = close;
      await close();
      throw usedUp('close');
    };
    return writeTo.call(this, ...args);
  });
  return closed;
}

const usedUp = (syscall: string): Error =>
  Object.assign(new Error(`EDQUOT: disk quota exceeded, ${syscall}`), { code: 'EDQUOT', syscall });

describe('a long body that comes once', () => {
  it('is not taken for whole where the disk has lost part of it, and leaves nothing behind', async () => {
    const lost = await write(twice, leaveHole).catch((error: unknown) => error);
    expect(lost).toBeInstanceOf(StoreUnwritable);
    expect(lost).toMatchObject({ code: 'LOST', isLost: true });
    expect(String(lost)).toContain('What was paid for is lost, and its row unknown. Check the disk');
    expect(await readdir(folder())).not.toContain('b');
    expect(await readdir(folder('.parts'))).toEqual([]);
  });

  it('is written again where its sync fails: the next sync would not bring back what that lost', async () => {
    const sync = jest.spyOn(await fileClass(), 'datasync');
    sync.mockImplementationOnce(() => Promise.resolve());
    sync.mockImplementationOnce(() => Promise.resolve());
    sync.mockImplementationOnce(() => {
      leaveHole();
      return Promise.reject(usedUp('fdatasync'));
    });
    expect(await write(twice)).toMatchObject({ sha256: createHash('sha256').update(LONG).digest('hex') });
    expect(sync.mock.calls.length).toBeGreaterThan(3);
  });

  it('is kept where closing it fails, as on a network disk', async () => {
    const closed = await failToClose();
    expect(await write(twice)).toMatchObject({ bytes: LONG.length });
    expect(closed).toHaveBeenCalledTimes(1);
  });

  it('tells which of its writes take room on the disk', async () => {
    const told: (string | undefined)[] = [];
    await write((made, growing) => {
      told.push(growing);
      return made();
    });
    expect(new Set(told)).toEqual(new Set([folder(), undefined]));
    expect(told.filter((growing) => growing === undefined)).toHaveLength(2);
  });
});

it('a long body that can be fetched again is synced once, and is not kept where closing it fails', async () => {
  const File = await fileClass();
  const sync = jest.spyOn(File, 'datasync');
  await write();
  expect(sync).not.toHaveBeenCalled();
  await failToClose();
  await expect(write()).rejects.toMatchObject({ code: 'EDQUOT' });
  expect(await readdir(folder('.parts'))).toEqual([]);
});
