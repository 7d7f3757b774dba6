import { resolve } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { readLedgerAddress } from '../../ledger/supported-databases.ts';

const UNREAD =
  'a postgres: URL that cannot be read (in its user and password, write # as %23, @ as %40, / as %2F, ? as %3F, : as %3A and % as %25)';

describe('readLedgerAddress', () => {
  it.each([
    ['ledger.db', resolve('ledger.db')],
    ['file:///tmp/ledger.db', '/tmp/ledger.db'],
    ['file:ledger.db', resolve('ledger.db')],
    ['sqlite:///tmp/ledger.db', '/tmp/ledger.db'],
    ['SQLITE:ledger.db', resolve('ledger.db')],
  ])('takes the path of a file, or a URL of one: %s', (given, address) => {
    expect(readLedgerAddress(given)).toMatchObject({ type: 'address', address });
  });

  it.each([
    ...['user:secret@ho st/db', 'user:secret#1@host/db', 'user:1#secret@host/db', 'user:p@secret/w@host/db'].map(
      (rest) => [`postgres://${rest}`, UNREAD] as const,
    ),
    ['postgres://user:1?secret@host/db', UNREAD],
    ['postgres://user:1?secret=2@host/db?schema=x', UNREAD],
    ['postgres://user:1/secret@host/db', UNREAD],
    ['mysql://user:secret@host/db', 'a mysql: URL'],
  ])('refuses other URLs, and repeats only the scheme: %s', (given, got) => {
    expect(readLedgerAddress(given)).toEqual({
      type: 'refused',
      expected: 'the path of a database file, or a postgres:// URL',
      got,
    });
  });
});
