import { symlink } from 'node:fs/promises';
import { describe, expect, it } from '@jest/globals';
import { openRecords } from '../../client/open-records.ts';
import { folderForEach } from '../support/fresh-folder.ts';

const folder = folderForEach();

describe('openRecords, of a ledger that must exist', () => {
  const open = (): Promise<unknown> =>
    openRecords({ ledger: folder('ledger.db'), isLedgerNamed: true, env: {} }, { mustExist: true });

  it('says that there is none', async () => {
    await expect(open()).rejects.toMatchObject({ problem: { type: 'no-ledger', ledger: folder('ledger.db') } });
  });

  it('does not take one that cannot be reached for none', async () => {
    await symlink('ledger.db', folder('ledger.db'));
    await expect(open()).rejects.toThrow(/ledger\.db cannot be used: ELOOP/);
  });
});
