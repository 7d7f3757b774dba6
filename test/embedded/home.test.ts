import { execFileSync } from 'node:child_process';
import { chownSync, readFileSync, statSync } from 'node:fs';
import { mkdir, readdir, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it, jest } from '@jest/globals';
import { makeHome } from '../../embedded/home.ts';
import { isOtherUser } from '../../embedded/private-file.ts';
import { openOwnLog } from '../../embedded/private-home.ts';
import type { ServerUnavailable } from '../../embedded/server-unavailable.ts';
import { folderForEach } from '../support/fresh-folder.ts';

describe('makeHome', () => {
  const folder = folderForEach();

  it.each(['what?', 'no #1', 'a%41b'])(
    'refuses the folder "%s", in which the server would lose its database',
    (name) => {
      expect(() => makeHome(folder(name))).toThrow('cannot keep its database');
    },
  );

  it('says why where no folder can be made, at once: Node would try to make one for ever', () => {
    expect(() => makeHome('/proc/voxbatch/home')).toThrow("The folder /proc/voxbatch/home can't be made: ");
  });

  it('takes a home, its files and its logs from others, and leaves media as they are', async () => {
    const home = folder('home');
    await mkdir(join(home, 'logs'), { recursive: true, mode: 0o755 });
    await mkdir(join(home, 'store'), { mode: 0o755 });
    for (const name of ['ledger.db', 'logs/up.log', 'store/a.mp3'])
      await writeFile(join(home, name), '', { mode: 0o644 });
    await symlink(home, folder('other-name'));
    makeHome(folder('other-name'));
    const modes = ['', 'logs', 'store', 'ledger.db', 'logs/up.log', 'store/a.mp3'].map(
      (name) => statSync(join(home, name)).mode & 0o777,
    );
    expect(modes).toEqual([0o700, 0o700, 0o700, 0o600, 0o600, 0o644]);
  });

  it('refuses a home of another user, and root may work there', () => {
    const home = folder('home');
    makeHome(home);
    // What root owns, as a mounted volume, is no other user's.
    if (statSync(home).uid === 0) chownSync(home, 12_345, 12_345);
    const owner = statSync(home).uid;
    const user = jest.spyOn(process, 'geteuid' as never) as unknown as jest.Mock<() => number>;
    user.mockReturnValue(owner + 1);
    expect(() => makeHome(home)).toThrow(`belongs to another user (uid ${String(owner)})`);
    user.mockReturnValue(0);
    expect(makeHome(home).home).toBe(home);
  });

  it('takes a home of root, as a mounted volume may be', () => {
    expect([isOtherUser(0, 1_000), isOtherUser(1_000, 0), isOtherUser(1_000, 1_000)]).toEqual([false, false, false]);
    expect(isOtherUser(1_000, 1_001)).toBe(true);
  });

  it('leaves what is not ours in a folder that a user named as the home', async () => {
    const home = folder('project');
    await mkdir(home, { mode: 0o755 });
    for (const name of ['lines.csv', 'ledger.db', 'ledger.db-wal'])
      await writeFile(join(home, name), '', { mode: 0o644 });
    makeHome(home);
    const modes = ['', 'lines.csv', 'ledger.db', 'ledger.db-wal'].map(
      (name) => statSync(join(home, name)).mode & 0o777,
    );
    expect(modes).toEqual([0o755, 0o644, 0o600, 0o600]);
  });

  it.each(['logs', 'server.json.part', 'starting.pid', 'logs/up.log', 'ledger.db.reserve'])(
    'refuses a home whose %s is a link, which may lead to any file of the user',
    async (name) => {
      const home = folder('home');
      await mkdir(join(home, name.startsWith('logs/') ? 'logs' : ''), { recursive: true });
      await mkdir(folder('mine'), { mode: 0o755 });
      await writeFile(folder('mine/file'), 'mine', { mode: 0o644 });
      await symlink(folder(name === 'logs' ? 'mine' : 'mine/file'), join(home, name));
      expect(() => makeHome(home)).toThrow(`${join(home, name)} is a symbolic link`);
      expect(readFileSync(folder('mine/file'), 'utf8')).toBe('mine');
      expect(statSync(folder('mine/file')).mode & 0o777).toBe(0o644);
    },
  );

  it.each(['logs', 'logs/up.log'])(
    'opens no log through a link, before anybody has looked at the home either: %s',
    async (name) => {
      const home = folder('home');
      await mkdir(join(home, name === 'logs' ? '' : 'logs'), { recursive: true });
      await mkdir(folder('mine'));
      await symlink(folder(name === 'logs' ? 'mine' : 'mine/file'), join(home, name));
      expect(() => openOwnLog(join(home, 'logs/up.log'))).toThrow(`${join(home, name)} is a symbolic link`);
      expect(await readdir(folder('mine'))).toEqual([]);
    },
  );

  it('advises a command that a shell reads as it is meant', async () => {
    const home = folder(`O'Neill's $HOME`);
    await mkdir(home);
    const link = join(home, 'temporal.db');
    await symlink(folder('mine'), link);
    let advice = '';
    try {
      makeHome(home);
    } catch (error) {
      ({ advice } = error as ServerUnavailable);
    }
    const [, command = ''] = /Remove it: (rm .*)$/u.exec(advice) ?? [];
    execFileSync('sh', ['-c', command]);
    expect(await readdir(home)).not.toContain('temporal.db');
  });

  it.each(['100% sure', 'a b', '50%', `O'Neill's "x" $HOME`])('takes the folder "%s"', (name) => {
    expect(makeHome(folder(name)).home).toContain(name);
  });
});
