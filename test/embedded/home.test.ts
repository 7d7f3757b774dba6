import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { makeHome } from '../../embedded/home.ts';

describe('makeHome', () => {
  let folder = '';

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'voxbatch-home-'));
  });
  afterEach(() => rm(folder, { recursive: true }));

  it.each(['what?', 'no #1', 'a%41b'])(
    'refuses the folder "%s", in which the server would lose its database',
    (name) => {
      expect(() => makeHome(join(folder, name))).toThrow('cannot keep its database');
    },
  );

  it.each(['100% sure', 'a b', '50%', `O'Neill's "x" $HOME`])('takes the folder "%s"', (name) => {
    expect(makeHome(join(folder, name)).home).toContain(name);
  });
});
