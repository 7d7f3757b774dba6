import { existsSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it, jest } from '@jest/globals';
import { keepAliveFile, requireAliveFolder } from '../../../starters/serve/alive-file.ts';
import { freshFolder } from '../../support/fresh-folder.ts';

it('the file of a probe is made, touched every 5 seconds, and removed in the end', () => {
  jest.useFakeTimers();
  const path = join(freshFolder(), 'alive');
  const end = keepAliveFile(path);
  expect(existsSync(path)).toBe(true);
  utimesSync(path, 0, 0);
  jest.advanceTimersByTime(5_000);
  expect(statSync(path).mtimeMs).toBeGreaterThan(0);
  // Who removed it wants the process restarted.
  rmSync(path);
  jest.advanceTimersByTime(10_000);
  expect(existsSync(path)).toBe(false);
  writeFileSync(path, '');
  end();
  expect(existsSync(path)).toBe(false);
  utimesSync(join(path, '..'), 0, 0);
  expect(jest.getTimerCount()).toBe(0);
});

it('a file that cannot be written is a wrong flag', () => {
  for (const check of [keepAliveFile, requireAliveFolder])
    expect(() => {
      check(join(freshFolder(), 'none', 'alive'));
    }).toThrow('--alive-file: ');
});
