import { expect, it } from '@jest/globals';
import { birthTimeMs, isMadeHere, isSameFile } from '../../../policy/trust/known-file.ts';

const FILE = { path: '/home/me/.voxbatch/ledger.db', inode: 7, born: 1_000 };
const UNBORN = { ...FILE, born: 0 };
it.each([
  ['by its birth, whatever its number is now', FILE, { ...FILE, inode: 8 }, true],
  ['not with another birth', FILE, { ...FILE, born: 1_001 }, false],
  ['not elsewhere', FILE, { ...FILE, path: '/elsewhere' }, false],
  ['by its number where no birth is told', UNBORN, UNBORN, true],
  ['not with another number then', UNBORN, { ...UNBORN, inode: 8 }, false],
  ['not where a birth is not told any more', FILE, UNBORN, false],
  ['not where nothing was known', {}, UNBORN, false],
])('a file is the same %s', (_, known, found, isSame) => expect(isSameFile(known, found)).toBe(isSame));

const NODE = { birthtimeMs: 10, ctimeMs: 20 };
const BORN_FILE = { birthtimeMs: 1_000, ctimeMs: 1_000 };
it.each([
  ['counts on Linux', BORN_FILE, NODE, 'linux', 1_000],
  ['does not where it is not told', { ...BORN_FILE, birthtimeMs: 0 }, NODE, 'linux', 0],
  ['does not where it is before all time', { ...BORN_FILE, birthtimeMs: -1 }, NODE, 'linux', 0],
  ['does not where the last change is told in its place', BORN_FILE, { birthtimeMs: 20, ctimeMs: 20 }, 'linux', 0],
  ['does not where it can be set', BORN_FILE, NODE, 'darwin', 0],
] as const)('the birth of a file %s', (_, file, node, platform, born) => {
  expect(birthTimeMs(file, node, platform)).toBe(born);
});

const BORN = Date.UTC(2026, 10, 1);
const LATE = Date.UTC(2027, 6, 1);
const OLD = { born: BORN, madeAt: BORN + 40, isOfEarlierVersion: true };
it.each([
  ['if its file was born when it says that it was made', OLD, true],
  ['give or take two seconds', { ...OLD, madeAt: BORN + 2_000 }, true],
  ['not later', { ...OLD, madeAt: BORN + 2_001 }, false],
  ['not earlier', { ...OLD, madeAt: BORN - 2_001 }, false],
  ['not where nobody knows', { ...OLD, madeAt: null }, false],
  ['not where no birth is told', { ...OLD, born: 0, madeAt: 40 }, false],
  ['not if it is none of an earlier version', { ...OLD, isOfEarlierVersion: false }, false],
  ['not after the time of the upgrade', { ...OLD, born: LATE, madeAt: LATE }, false],
  ['until then', { ...OLD, born: LATE - 1, madeAt: LATE }, true],
])('a ledger of an earlier version was made here %s', (_, ledger, isHere) => expect(isMadeHere(ledger)).toBe(isHere));
