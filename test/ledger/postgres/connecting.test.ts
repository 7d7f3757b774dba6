import { describe, expect, it } from '@jest/globals';
import { randomUUID } from 'node:crypto';
import { LedgerAway, LedgerUnreachable } from '../../../ledger/errors.ts';
import { openLedger } from '../../../ledger/open-ledger.ts';
import { explainConnecting } from '../../../ledger/postgres/errors.ts';
import { advisoryLocks } from '../../../ledger/postgres/locks.ts';

describe('a connection that cannot be made', () => {
  it('names the settings to look at, where the server offers no TLS', async () => {
    const place = `${process.env['TEST_POSTGRES'] ?? ''}?sslmode=require`;
    const opening = openLedger(place);
    await expect(opening).rejects.toThrow(LedgerUnreachable);
    await expect(opening).rejects.toThrow('SSL');
    await expect(opening).rejects.toThrow('offers no TLS');
    await expect(opening).rejects.toThrow('PGSSLMODE=disable');
  });

  it('does so for the lock of workers, too', async () => {
    const locks = advisoryLocks(`${process.env['TEST_POSTGRES'] ?? ''}?sslmode=require`);
    const taken = locks.lockForWorkers('server');
    await expect(taken).rejects.toThrow(LedgerUnreachable);
    await expect(taken).rejects.toThrow('PGSSLMODE=disable');
  });

  it('is waited for where there was one before', () => {
    const error = new Error('There was an error establishing an SSL connection');
    expect(explainConnecting('postgres://ann@db/voxbatch', error, true)).toBeInstanceOf(LedgerAway);
    expect(explainConnecting('postgres://ann@db/voxbatch', error, false)).not.toBeInstanceOf(LedgerAway);
  });

  it('names the address to check, where no server answers', () => {
    const error = Object.assign(new Error('connect ECONNREFUSED 127.0.0.1:1'), { code: 'ECONNREFUSED' });
    expect(explainConnecting('postgres://ann@db/voxbatch', error, false).message).toContain(
      'that VOXBATCH_LEDGER names its host and port',
    );
  });

  it('asks for a password where there is none, in our words', () => {
    // Of pg 8, which has no code for it.
    const error = new Error('SASL: SCRAM-SERVER-FIRST-MESSAGE: client password must be a string');
    expect(explainConnecting('postgres://ann@db/voxbatch', error, false).message).toBe(
      'The ledger postgres://ann@db/voxbatch cannot be used: the database server asks for a password, and there is none (SASL: SCRAM-SERVER-FIRST-MESSAGE: client password must be a string). Set PGPASSWORD, or keep it in ~/.pgpass.',
    );
  });
});

describe('an address that leads to no ledger', () => {
  it('begins none: only whoever is to make the tables does', async () => {
    const place = `${process.env['TEST_POSTGRES'] ?? ''}?schema=n${randomUUID().slice(0, 8)}`;
    for (const mustExist of [true, false]) {
      const opening = openLedger(place, { mustExist });
      await expect(opening).rejects.toThrow(LedgerUnreachable);
      await expect(opening).rejects.toThrow(
        /there is no ledger in its schema "n\w+"\. Correct VOXBATCH_LEDGER; or, if it is being restored there, wait until that has ended, and make none; or, .*: voxbatch ledger migrate/,
      );
    }
    await (await openLedger(place, { makesTables: true })).close();
    await (await openLedger(place)).close();
  });

  it.each([
    ['shcema=other', 'not known or not heeded, "shcema"'],
    ['channel_binding=require', 'not known or not heeded, "channel_binding"'],
    ['sslmode=verfiy-full', 'there is no sslmode "verfiy-full"'],
  ])('because of a misspelt parameter is refused: %s', async (parameter, why) => {
    await expect(openLedger(`postgres://ann@127.0.0.1:1/voxbatch?${parameter}`)).rejects.toThrow(why);
  });
});
