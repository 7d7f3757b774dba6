import { describe, expect, it } from '@jest/globals';
import { Session, type SessionRequest } from '../../client/session.ts';
import { settingsOf } from '../../client/read-options.ts';
import { folderForEach } from '../support/fresh-folder.ts';

const folder = folderForEach();

function session(change: Partial<SessionRequest> = {}): Session {
  const access = (): never => {
    throw new Error('not set');
  };
  return new Session({ settings: settingsOf({ home: folder() }), access, ledger: { mustExist: false }, ...change });
}

describe('a session', () => {
  it('opens each part once, when it is first needed', async () => {
    const one = session();
    const [first, again] = await Promise.all([one.ledger(), one.ledger()]);
    expect(again).toBe(first);
    expect(await one.store()).toBe(await one.store());
    await one.close();
  });

  it('tries again what could not be opened', async () => {
    let asked = 0;
    const access = (): never => {
      asked += 1;
      throw new Error(`asked ${String(asked)} times`);
    };
    const one = session({ access });
    await expect(one.api()).rejects.toThrow('asked 1 times');
    await expect(one.api()).rejects.toThrow('asked 2 times');
    await one.close();
  });

  it('says where no batch was ever made, and makes nothing', async () => {
    const one = session({ ledger: { mustExist: true } });
    await expect(one.ledger()).rejects.toMatchObject({
      problem: { type: 'no-ledger', ledger: folder('ledger.db') },
    });
    await one.close();
  });

  it('opens nothing once it is closed', async () => {
    const one = session();
    await one.close();
    await expect(one.ledger()).rejects.toThrow('It is closed');
  });
});
