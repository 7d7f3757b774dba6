import { existsSync } from 'node:fs';
import { symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from '@jest/globals';
import { KernelLock } from '../../../embedded/kernel-lock.ts';
import { LedgerInUse } from '../../../ledger/errors.ts';
import type { LockMethods } from '../../../ledger/driver.ts';
import { fileLocks } from '../../../ledger/sqlite/locks.ts';
import { folderForEach } from '../../support/fresh-folder.ts';

const folder = folderForEach();
let file: string;
let locks: LockMethods;

beforeEach(async () => {
  file = folder('ledger.db');
  locks = fileLocks(file);
  await writeFile(file, '');
});

describe('the lock of those who work on a ledger', () => {
  it('is shared by the workers of one server, also where the ledger has two names', async () => {
    const other = folder('link');
    await symlink(folder(), other);
    const byLink = fileLocks(join(other, 'ledger.db'));
    const unlocks = [await locks.lockForWorkers('one'), await byLink.lockForWorkers('one')];
    expect(await byLink.isWorkedOn()).toBe(true);
    for (const unlock of unlocks) unlock();
    expect(await locks.isWorkedOn()).toBe(false);
  });

  it.each([
    ['who only looks', (lock: KernelLock) => lock.tryExclusive()],
    ['who has it as well, and has found no note yet', (lock: KernelLock) => lock.tryShared()],
  ])('is not kept off by one %s, nor by a note of long ago', async (_, take) => {
    (await locks.lockForWorkers('one that is gone'))();
    const other = new KernelLock(`${file}.lock`);
    expect(take(other)).toBe(true);
    const locking = locks.lockForWorkers('one');
    await new Promise(setImmediate);
    other.close();
    (await locking)();
  });

  it('leaves nothing behind where somebody looks at a ledger that nobody worked on', async () => {
    expect(await locks.isWorkedOn()).toBe(false);
    expect(existsSync(`${file}.lock`)).toBe(false);
  });

  it('refuses those of another server until the last has gone, and says whose they are', async () => {
    const unlocks = [await locks.lockForWorkers('one'), await locks.lockForWorkers('one')];
    unlocks[0]?.();
    const refusal = locks.lockForWorkers('other');
    await expect(refusal).rejects.toThrow(LedgerInUse);
    await expect(refusal).rejects.toMatchObject({ holder: 'one' });
    unlocks[1]?.();
    const unlock = await locks.lockForWorkers('other');
    await expect(locks.lockForWorkers('one')).rejects.toMatchObject({ holder: 'other' });
    unlock();
  });
});

it('the lock of those who load is had by one at a time', async () => {
  const unlock = await locks.lockForLoading();
  let isHad = false;
  const second = fileLocks(file).lockForLoading();
  void second.then(() => (isHad = true));
  await new Promise(setImmediate);
  expect(isHad).toBe(false);
  unlock();
  (await second)();
  expect(isHad).toBe(true);
});
