import { statSync } from 'node:fs';
import { mkdir, mkdtemp, realpath, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { makeHome } from '../../embedded/home.ts';

describe('makeHome', () => {
  let folder = '';

  beforeEach(async () => {
    folder = await realpath(await mkdtemp(join(tmpdir(), 'voxbatch-home-')));
  });
  afterEach(() => rm(folder, { recursive: true }));

  it.each(['what?', 'no #1', 'a%41b'])(
    'refuses the folder "%s", in which the server would lose its database',
    (name) => {
      expect(() => makeHome(join(folder, name))).toThrow('cannot keep its database');
    },
  );

  it('takes a home, its files and its logs from others, and leaves media as they are', async () => {
    const home = join(folder, 'home');
    await mkdir(join(home, 'logs'), { recursive: true, mode: 0o755 });
    await mkdir(join(home, 'store'), { mode: 0o755 });
    for (const name of ['ledger.db', 'logs/up.log', 'store/a.mp3'])
      await writeFile(join(home, name), '', { mode: 0o644 });
    await symlink(join(home, 'store/a.mp3'), join(home, 'link'));
    await symlink(home, join(folder, 'other-name'));
    makeHome(join(folder, 'other-name'));
    const modes = ['', 'logs', 'store', 'ledger.db', 'logs/up.log', 'store/a.mp3'].map(
      (name) => statSync(join(home, name)).mode & 0o777,
    );
    expect(modes).toEqual([0o700, 0o700, 0o700, 0o600, 0o600, 0o644]);
  });

  it('refuses a home of another user, and root may work there', () => {
    const home = join(folder, 'home');
    makeHome(home);
    const owner = statSync(home).uid;
    const user = jest.spyOn(process, 'geteuid' as never) as unknown as jest.Mock<() => number>;
    user.mockReturnValue(owner + 1);
    expect(() => makeHome(home)).toThrow(`belongs to another user (uid ${String(owner)})`);
    user.mockReturnValue(0);
    expect(makeHome(home).home).toBe(home);
    user.mockRestore();
  });

  it.each(['100% sure', 'a b', '50%', `O'Neill's "x" $HOME`])('takes the folder "%s"', (name) => {
    expect(makeHome(join(folder, name)).home).toContain(name);
  });
});
