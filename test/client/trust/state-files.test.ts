import { chownSync, mkdirSync } from 'node:fs';
import { userInfo } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { readState, stateFolder, writeState } from '../../../client/trust/state-files.ts';
import { folderForEach } from '../../support/fresh-folder.ts';

const before = process.cwd();
const folder = folderForEach();
beforeEach(() => {
  process.chdir(folder());
});
afterEach(() => {
  jest.restoreAllMocks();
  process.chdir(before);
});

const OF_SYSTEM = join(userInfo().homedir, '.local', 'state', 'voxbatch');

describe('the state folder', () => {
  it('is where the user says, or in their home, also if they work in it', () => {
    const named = folder('state');
    expect(stateFolder({ XDG_STATE_HOME: named })).toBe(join(named, 'voxbatch'));
    expect(stateFolder({ HOME: folder() })).toBe(folder('.local', 'state', 'voxbatch'));
    expect(stateFolder({ HOME: folder('..', 'other') })).toBe(folder('..', 'other', '.local', 'state', 'voxbatch'));
  });

  it('is in the home of a container that works in no folder of its own', () => {
    process.chdir('/');
    expect(stateFolder({ HOME: folder('data') })).toBe(folder('data', '.local', 'state', 'voxbatch'));
  });

  it('never is one that could have come with the working folder', () => {
    const home = folder('home');
    mkdirSync(home);
    for (const env of [
      { HOME: home },
      { HOME: folder('..home') },
      { HOME: 'home' },
      { HOME: '.' },
      { HOME: '' },
      {},
      { XDG_STATE_HOME: 'state', HOME: home },
    ]) {
      expect({ env, place: stateFolder(env) }).toEqual({ env, place: OF_SYSTEM });
    }
  });

  it('holds nothing that another user wrote', () => {
    const file = folder('a.json');
    writeState(file, { digest: 'a' });
    expect(readState(file)).toEqual({ digest: 'a' });
    jest.spyOn(process, 'geteuid').mockReturnValue(4_711);
    if (process.getuid?.() === 0) chownSync(file, 4_712, 4_712);
    expect(readState(file)).toBe(undefined);
    jest.spyOn(process, 'geteuid').mockReturnValue(4_712);
    if (process.getuid?.() === 0) expect(readState(file)).toEqual({ digest: 'a' });
  });
});
