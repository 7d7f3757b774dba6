import { resolve } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { readLedgerAddress } from '../../ledger/supported-databases.ts';

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
    ['postgres://user:secret@ho st/db', 'a postgres: URL that cannot be read'],
    ['mysql://user:secret@host/db', 'a mysql: URL'],
  ])('refuses other URLs, and repeats only the scheme: %s', (given, came) => {
    expect(readLedgerAddress(given)).toEqual({
      type: 'refused',
      expected: 'the path of a database file, or a postgres:// URL',
      came,
    });
  });
});
