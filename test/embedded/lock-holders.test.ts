import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createRequire } from 'node:module';
import { statSync, writeFileSync } from 'node:fs';
import { platform } from 'node:os';
import { join } from 'node:path';
import { expect, it } from '@jest/globals';
import { KernelLock, lockHolders } from '../../embedded/kernel-lock.ts';
import { endAfterTest } from '../support/end-after-test.ts';
import { freshFolder } from '../support/fresh-folder.ts';

/** Takes a lock as `KernelLock` does, says so, and lives until it is killed. */
const HOLDER = `
const lock = new (require(process.argv[1]))(process.argv[2]);
lock.exec('BEGIN; SELECT count(*) FROM sqlite_master');
console.log('held');
setInterval(() => lock.inTransaction, 1000);`;

it('names the process that holds a lock, as far as the system tells, and not its own', async () => {
  const file = join(freshFolder(), 'lock');
  const lock = new KernelLock(file);
  endAfterTest(() => {
    lock.close();
  });
  expect(lock.tryShared()).toBe(true);
  expect(lockHolders([file, `${file}.none`])).toEqual([]);
  const libsql = createRequire(import.meta.url).resolve('libsql');
  const holder = spawn(process.execPath, ['-e', HOLDER, libsql, file], { stdio: ['ignore', 'pipe', 'inherit'] });
  endAfterTest(() => {
    holder.kill('SIGKILL');
  });
  await once(holder.stdout, 'data');
  expect(lockHolders([file])).toEqual(platform() === 'linux' ? [holder.pid] : []);
});

it('names no process that has locked a file of the same number on another disk', () => {
  const file = join(freshFolder(), 'lock');
  writeFileSync(file, '');
  const table = `${file}.table`;
  writeFileSync(table, `1: POSIX  ADVISORY  READ ${process.ppid} fd:01:${statSync(file).ino} 0 EOF\n`);
  expect(lockHolders([file], table)).toEqual([]);
});
