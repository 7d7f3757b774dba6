import { describe, expect, it } from '@jest/globals';
import { LedgerAway, LedgerUnreachable } from '../../../ledger/errors.ts';
import { openLedger } from '../../../ledger/open-ledger.ts';
import { explainConnecting } from '../../../ledger/postgres/errors.ts';

describe('a connection that cannot be made', () => {
  it('names the settings to look at, where the server offers no TLS', async () => {
    const place = `${process.env['TEST_POSTGRES'] ?? ''}?sslmode=require`;
    const opening = openLedger(place);
    await expect(opening).rejects.toThrow(LedgerUnreachable);
    await expect(opening).rejects.toThrow('SSL');
    await expect(opening).rejects.toThrow('Check VOXBATCH_LEDGER, PGSSLMODE');
  });

  it('is waited for where there was one before', () => {
    const error = new Error('There was an error establishing an SSL connection');
    expect(explainConnecting('postgres://ann@db/voxbatch', error, true)).toBeInstanceOf(LedgerAway);
    expect(explainConnecting('postgres://ann@db/voxbatch', error, false)).not.toBeInstanceOf(LedgerAway);
  });

  it('asks for a password where there is none, in our words', () => {
    // Of pg 8, which has no code for it.
    const error = new Error('SASL: SCRAM-SERVER-FIRST-MESSAGE: client password must be a string');
    expect(explainConnecting('postgres://ann@db/voxbatch', error, false).message).toBe(
      'The ledger postgres://ann@db/voxbatch cannot be used: the database server asks for a password, and there is none. Set PGPASSWORD, or keep it in ~/.pgpass.',
    );
  });
});
