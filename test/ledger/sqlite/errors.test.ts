import { expect, it } from '@jest/globals';
import { LedgerFull, LedgerUnreachable } from '../../../ledger/errors.ts';
import { explain } from '../../../ledger/sqlite/errors.ts';

function failure(code: string, rawCode: number, message = 'no luck'): Error {
  return Object.assign(new Error(message), { code, rawCode });
}

it.each([
  ['SQLITE_READONLY', 8, 'it is read-only (SQLITE_READONLY: no luck). Make the file and its folder writable'],
  ['SQLITE_IOERR_WRITE', 778, 'reading or writing the disk failed (SQLITE_IOERR_WRITE: no luck). Check the disk'],
  // libsql has no names for these: a folder that cannot be written to, and an index that is damaged.
  ['UNKNOWN_SQLITE_ERROR_1544', 1544, 'it is read-only (SQLITE_READONLY: no luck). Make the file and its folder'],
  ['UNKNOWN_SQLITE_ERROR_779', 779, 'the database is damaged (SQLITE_CORRUPT: no luck). Restore it from a backup'],
])('the result code %s, %i, is explained', (code, rawCode, words) => {
  const error = explain('/home/ada/ledger.db', failure(code, rawCode));
  expect(error).toBeInstanceOf(LedgerUnreachable);
  expect(error.message).toContain(`The ledger /home/ada/ledger.db cannot be used: ${words}`);
});

it.each(['SQLITE_READONLY', 'SQLITE_PERM', 'SQLITE_CANTOPEN', 'SQLITE_FULL'])(
  'with %s nobody is led to an empty ledger, which would pay for finished rows again',
  (code) => {
    expect(explain('l.db', failure(code, 0)).message).not.toMatch(/VOXBATCH_/);
  },
);

it.each([
  ['SQLITE_FULL', 13, true],
  // A quota that is used up.
  ['SQLITE_IOERR_WRITE', 778, true],
  ['SQLITE_IOERR_FSYNC', 1034, true],
  ['UNKNOWN_SQLITE_ERROR_4874', 4874, true],
  ['SQLITE_READONLY', 8, false],
  ['SQLITE_BUSY', 5, false],
])('room may help with %s, %i: %s', (code, rawCode, helps) => {
  expect(explain('l.db', failure(code, rawCode)) instanceof LedgerFull).toBe(helps);
});

const disk = (free: number) => () => ({ bavail: free / 4_096, bsize: 4_096, blocks: 1_000 });

it.each([
  ['SQLITE_IOERR_WRITE', 778],
  ['SQLITE_IOERR_SHMSIZE', 4874],
  ['SQLITE_IOERR_SHMOPEN', 4618],
  ['SQLITE_IOERR_SHMMAP', 5386],
  ['UNKNOWN_SQLITE_ERROR_4874', 4874],
])('%s, %i on a disk without room says that it is full, and on any other that it failed', (code, rawCode) => {
  const error = failure(code, rawCode, 'disk I/O error');
  expect(explain('/d/l.db', error, disk(0)).message).toMatch(
    /the disk is full \(.*disk I\/O error\)\. Free some space/,
  );
  expect(explain('/d/l.db', error, disk(0))).toBeInstanceOf(LedgerFull);
  expect(explain('/d/l.db', error, disk(1_048_576)).message).toContain('Check the disk, and your quota on it');
  const silent = (): never => {
    throw new Error('no such folder');
  };
  for (const look of [silent, () => ({ bavail: 0, bsize: 4_096, blocks: 0 })])
    expect(explain('/d/l.db', error, look).message).toContain('Check the disk');
});

it('a failed sync is no full disk, whatever is free', () => {
  expect(explain('/d/l.db', failure('SQLITE_IOERR_FSYNC', 1034), disk(0)).message).toContain('Check the disk');
});

it('a file that cannot be opened is explained, though libsql gives no code', () => {
  expect(explain('l.db', failure('', 0, 'ConnectionFailed("14")')).message).toContain('it cannot be opened');
});

it('an error that is not about the file stays as it is', () => {
  const error = failure('UNKNOWN_SQLITE_ERROR_769', 769);
  expect(explain('l.db', error)).toBe(error);
});
