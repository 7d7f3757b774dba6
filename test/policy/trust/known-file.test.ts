import { describe, expect, it } from '@jest/globals';
import { birthOf, isSameFile } from '../../../policy/trust/known-file.ts';

const FILE = { path: '/home/me/.voxbatch/ledger.db', inode: 7, born: 1_000 };
const NODE = { birthtimeMs: 10, ctimeMs: 20 };

describe('a file', () => {
  it('is the same by its birth, whatever its number is now', () => {
    expect(isSameFile(FILE, { ...FILE, inode: 8 })).toBe(true);
    expect(isSameFile(FILE, { ...FILE, born: 1_001 })).toBe(false);
    expect(isSameFile(FILE, { ...FILE, path: '/elsewhere' })).toBe(false);
  });

  it('is the same by its number where no birth is told', () => {
    const unborn = { ...FILE, born: 0 };
    expect(isSameFile(unborn, unborn)).toBe(true);
    expect(isSameFile(unborn, { ...unborn, inode: 8 })).toBe(false);
    expect(isSameFile(FILE, unborn)).toBe(false);
    expect(isSameFile({}, unborn)).toBe(false);
  });
});

describe('the birth of a file', () => {
  const file = { birthtimeMs: 1_000, ctimeMs: 1_000 };

  it('counts on Linux', () => {
    expect(birthOf(file, NODE, 'linux')).toBe(1_000);
  });

  it('does not count where it is not told, where the last change is told in its place, or where it can be set', () => {
    expect(birthOf({ ...file, birthtimeMs: 0 }, NODE, 'linux')).toBe(0);
    expect(birthOf({ ...file, birthtimeMs: -1 }, NODE, 'linux')).toBe(0);
    expect(birthOf(file, { birthtimeMs: 20, ctimeMs: 20 }, 'linux')).toBe(0);
    expect(birthOf(file, NODE, 'darwin')).toBe(0);
  });
});
