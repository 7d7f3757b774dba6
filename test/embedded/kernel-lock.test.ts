import { describe, expect, it } from '@jest/globals';
import { execFile } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { promisify } from 'node:util';
import { lockExclusively, KernelLock } from '../../embedded/kernel-lock.ts';
import { ServerUnavailable } from '../../embedded/server-unavailable.ts';
import { compiledOf } from '../compiled.mjs';
import { endAfterTest } from '../support/end-after-test.ts';
import { folderForEach } from '../support/fresh-folder.ts';

const folder = folderForEach();

function open(): KernelLock {
  const lock = new KernelLock(folder('lock'));
  endAfterTest(() => {
    lock.close();
  });
  return lock;
}

describe('KernelLock', () => {
  it('is shared by many or held by one', () => {
    const [a, b, c] = [open(), open(), open()];
    expect(a.tryShared()).toBe(true);
    expect(b.tryShared()).toBe(true);
    expect(c.tryExclusive()).toBe(false);
    a.release();
    expect(c.tryExclusive()).toBe(false);
    b.release();
    expect(c.tryExclusive()).toBe(true);
    expect(a.tryShared()).toBe(false);
    expect(b.tryExclusive()).toBe(false);
    c.release();
    expect(a.tryShared()).toBe(true);
  });

  it('leaves others their share when it cannot be had alone', () => {
    const [a, b, c] = [open(), open(), open()];
    expect(a.tryShared()).toBe(true);
    expect(b.tryExclusive()).toBe(false);
    expect(c.tryShared()).toBe(true);
  });

  it('is given up when it is closed, and releasing nothing is fine', () => {
    const [a, b] = [open(), open()];
    a.release();
    expect(a.tryExclusive()).toBe(true);
    a.close();
    expect(b.tryExclusive()).toBe(true);
  });

  it('writes nothing after its first use, so that a full disk cannot keep anybody from leaving', () => {
    const lock = open();
    lock.tryExclusive();
    lock.release();
    const first = readFileSync(folder('lock'));
    lock.tryExclusive();
    expect(readdirSync(folder())).toEqual(['lock']);
    lock.release();
    lock.tryShared();
    lock.release();
    expect(readFileSync(folder('lock')).equals(first)).toBe(true);
  });

  it('is given back on a disk that takes no page of it', async () => {
    const program = compiledOf('test/support/lock-on-full-disk.ts');
    const limited = ['-c', 'ulimit -f 1 && exec "$@"', 'sh', process.execPath, program, folder('lock')];
    const { stdout } = await promisify(execFile)('sh', limited);
    expect(stdout).toBe('taken: true\ngiven back\n');
  });

  it('refuses a file it cannot open, with advice', () => {
    expect(() => new KernelLock(folder('missing', 'lock')).tryExclusive()).toThrow(ServerUnavailable);
  });
});

describe('lockExclusively', () => {
  it('waits for the lock with a free event loop', async () => {
    const [a, b] = [open(), open()];
    a.tryExclusive();
    const waiting = lockExclusively(b);
    setTimeout(() => {
      a.release();
    }, 60);
    expect(await waiting).toBe(true);
    expect(a.tryExclusive()).toBe(false);
  });

  it('gives up at its limit, and when it is aborted', async () => {
    const [a, b] = [open(), open()];
    a.tryExclusive();
    expect(await lockExclusively(b, { timeoutMs: 60 })).toBe(false);
    const aborting = new AbortController();
    const waiting = lockExclusively(b, { signal: aborting.signal });
    aborting.abort(new Error('enough'));
    await expect(waiting).rejects.toThrow();
  });
});
